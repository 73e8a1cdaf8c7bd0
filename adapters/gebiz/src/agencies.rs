//! Short names of agencies. The dataset spells agencies out, so a short name alone finds nothing.

/// Words of the full name, as the agency column has them.
pub fn spelled_out(short: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 44] = [
        ("ACRA", "Accounting And Corporate Regulatory Authority"),
        ("AGC", "Attorney-General's Chambers"),
        ("BCA", "Building and Construction Authority"),
        ("CAAS", "Civil Aviation Authority of Singapore"),
        ("CPF", "Central Provident Fund Board"),
        ("CPFB", "Central Provident Fund Board"),
        ("DSTA", "Defence Science and Technology Agency"),
        ("EDB", "Economic Development Board"),
        ("EMA", "Energy Market Authority"),
        ("ESG", "Enterprise Singapore"),
        ("GOVTECH", "Government Technology Agency"),
        ("HDB", "Housing and Development Board"),
        ("HPB", "Health Promotion Board"),
        ("HSA", "Health Sciences Authority"),
        ("HTX", "Home Team Science and Technology Agency"),
        ("IMDA", "Info-communications Media Development Authority"),
        ("IPOS", "Intellectual Property Office of Singapore"),
        ("IRAS", "Inland Revenue Authority of Singapore"),
        ("JTC", "JTC Corporation"),
        ("LTA", "Land Transport Authority"),
        ("MAS", "Monetary Authority of Singapore"),
        ("MCCY", "Ministry of Culture, Community and Youth"),
        ("MFA", "Ministry of Foreign Affairs"),
        ("MHA", "Ministry of Home Affairs"),
        ("MINDEF", "Ministry of Defence"),
        ("MINLAW", "Ministry of Law"),
        ("MND", "Ministry of National Development"),
        ("MOE", "Ministry of Education"),
        ("MOF", "Ministry of Finance"),
        ("MOH", "Ministry of Health"),
        ("MOM", "Ministry of Manpower"),
        ("MOT", "Ministry of Transport"),
        ("MPA", "Maritime and Port Authority of Singapore"),
        ("MSF", "Ministry of Social and Family Development"),
        ("MTI", "Ministry of Trade and Industry"),
        ("NAC", "National Arts Council"),
        ("NEA", "National Environment Agency"),
        ("NHB", "National Heritage Board"),
        ("NLB", "National Library Board"),
        ("NPARKS", "National Parks Board"),
        ("SLA", "Singapore Land Authority"),
        ("STB", "Singapore Tourism Board"),
        ("URA", "Urban Redevelopment Authority"),
        ("YRSG", "Yellow Ribbon Singapore"),
    ];
    NAMES
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(short.trim()))
        .map(|(_, full)| *full)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_names_are_spelled_out() {
        assert_eq!(spelled_out("moh"), Some("Ministry of Health"));
        assert_eq!(spelled_out("GovTech"), Some("Government Technology Agency"));
        assert_eq!(spelled_out("MOHAWK"), None);
    }
}
