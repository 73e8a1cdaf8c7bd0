#![allow(warnings, clippy::all, clippy::pedantic)]
#[path = "../data.rs"] mod data;
#[path = "../fit.rs"] mod fit;
use fit::*; use data::*; use std::path::Path; use std::collections::BTreeMap;
const HELD: &[&str] = &["squid","firefox","epiphany-browser-data","sqlite3-doc","manpages-fr","aptitude-doc-ru","debian-faq-ja","debian-policy","vim-doc","php-horde-imp","python3-djangorestframework","gnome-user-docs"];
fn main() {
    let t=std::time::Instant::now();
    let mut s: Vec<Sample> = vec![];
    let c = Path::new("crates/detect/corpus");
    let own: f32 = std::env::var("OWN").ok().and_then(|v|v.parse().ok()).unwrap_or(3.0);
    let strw: f32 = std::env::var("STRW").ok().and_then(|v|v.parse().ok()).unwrap_or(0.3);
    for (n,l) in [("failures",true),("failures-by-form",true),("genuine",false),("genuine-by-form",false)] {
        let mut r=read(&c.join(n).with_extension("jsonl"),Some(l),own).unwrap(); for x in &mut r {x.group=format!("{n}:{}",x.group); x.source=n.into();} s.extend(r);
    }
    for (n,w,l) in [("purpose",own,None),("wordings",0.3,Some(true))] { let mut r=read(&c.join(n).with_extension("jsonl"),l,w).unwrap(); for x in &mut r {x.group=format!("{n}:{}",x.group); x.source=n.into();} s.extend(r); }
    let mut r=read(Path::new("/work/shared/failure-corpus/dev.jsonl"),None,own).unwrap(); for x in &mut r {x.group=format!("dev:{}",x.group); x.source="dev".into();} s.extend(r);
    let more=std::env::var("MORE").is_ok();
    for (p,w) in [("/tmp/dt/real/pages.jsonl",0.4),("/tmp/dt/real/strings.jsonl",strw),("/tmp/dt/docs/documents.jsonl",0.5),("/tmp/dt/docs/short.jsonl",0.5),("/tmp/dt/more/messages.jsonl",strw)] {
        if p.contains("more") && !more {
            // held ones are read all the same
            let r=read(Path::new(p),None,w).unwrap(); s.extend(r.into_iter().filter(|x| HELD.contains(&x.source.as_str()))); continue; }
        let mut r=read(Path::new(p),None,w).unwrap();
        if p.contains("strings") { let mut q=Sequence(3); r.retain(|x| x.failed || q.below(10)<3); }
        s.extend(r);
    }
    let held=|x:&Sample| HELD.contains(&x.source.as_str()) || x.source=="app-descriptions" && matches!(x.language.as_str(),"uk"|"de"|"zh"|"tr"|"en") || x.source=="debian-changelogs" && x.half()==1 || x.weight>1.0 && x.half()==1;
    let mut v: Vec<Vector>=s.iter().map(Vector::of).collect();
    let grams: usize = v.iter().map(|x|x.grams.len()).sum();
    println!("{} samples {} grams {:?}", s.len(), grams, t.elapsed());
    let chosen: Vec<&Vector>=s.iter().zip(&v).filter(|(x,_)|!held(x)).map(|(_,v)|v).collect();
    let classes=Classes::learn(&chosen); drop(chosen);
    let h: Vec<bool>=s.iter().map(|x|held(x)).collect();
    for (v,h) in v.iter_mut().zip(&h) { v.classify(&classes,!*h); }
    let chosen: Vec<&Vector>=v.iter().zip(&h).filter(|(_,h)|!**h).map(|(v,_)|v).collect();
    let w=fit(&chosen);
    println!("fitted {:?}", t.elapsed());
    // margins
    let len=|x:&Sample| if x.text.len()<=150 {0} else if x.text.len()<=1000 {1} else {2};
    let mut neg: [Vec<f32>;3]=Default::default();
    let mut m: Vec<f32>=vec![0.0;s.len()];
    for i in 0..s.len() { if h[i] { m[i]=match freshcontext_detect::certain(&s[i].text) {Some(true)=>99.0,Some(false)=>-99.0,None=>w.margin(&v[i])};
        let own=s[i].weight>1.0;
        if !s[i].failed && !own && s[i].source!="epiphany-browser-data" && s[i].source!="php-horde-imp" && s[i].source!="python3-djangorestframework" { neg[len(&s[i])].push(m[i]); } } }
    let share:[f64;3]=[0.010,0.008,0.0015];
    let mut th=[0f32;3];
    for k in 0..3 { neg[k].sort_by(|a,b|b.total_cmp(a)); let at=(neg[k].len() as f64*share[k]) as usize; th[k]=neg[k][at]; println!("len {k}: {} genuine, threshold {:.2}; thresholds 0.3%:{:.2} 3%: {:.2}", neg[k].len(), th[k], neg[k][(neg[k].len() as f64*0.003) as usize], neg[k][(neg[k].len() as f64*0.03) as usize]); }
    let mut rec: BTreeMap<(String,bool),(usize,usize)>=Default::default();
    let mut langs: BTreeMap<String,(usize,usize)>=Default::default();
    for i in 0..s.len() { if h[i] { let hit=m[i]>=th[len(&s[i])]; let e=rec.entry((s[i].source.clone(),s[i].failed)).or_default(); e.1+=1; e.0+=hit as usize;
        if s[i].failed && !s[i].language.is_empty() { let e=langs.entry(s[i].language.clone()).or_default(); e.1+=1; e.0+=hit as usize; } } }
    for ((n,f),(a,b)) in &rec { if *f {println!("  {n:30} found {:5.1} % of {b}", *a as f64*100.0/ *b as f64);} }
    for ((n,f),(a,b)) in &rec { if !*f {println!("  {n:30} wronged {:5.2} % of {b}", *a as f64*100.0/ *b as f64);} }
    let l: f64=langs.values().filter(|x|x.1>=10).map(|x|x.0 as f64/x.1 as f64).sum::<f64>()/langs.values().filter(|x|x.1>=10).count() as f64;
    if let Ok(o)=std::env::var("OUT") { use std::io::Write; let mut f=std::io::BufWriter::new(std::fs::File::create(o).unwrap());
      for i in 0..s.len() { if h[i] { writeln!(f,"{}",serde_json::json!({"s":s[i].source,"l":s[i].language,"f":s[i].failed,"c":s[i].class,"m":m[i],"t":s[i].text})).unwrap(); } } }
    println!("mean over languages {:.1}; en {:?} {:?}", l*100.0, langs.get("en"), t.elapsed());
}
