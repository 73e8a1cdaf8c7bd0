//! Enums whose variants have constant texts: routes, boards, orders.

/// Declares an enum together with texts of each variant. Every name in brackets becomes a method; `ALL` lists the
/// variants in their order. The first text is the variant's id, which `From` and [`first_route`](crate::cx::Cx::first_route) use.
///
/// ```
/// freshcontext_contract::texts! {
///     /// The ways to an answer.
///     pub enum Way(id, about) {
///         /// The search index.
///         Index { id: "index", about: "the search index" }
///         /// The feed.
///         Feed { id: "feed", about: "the feed of the front page" }
///     }
/// }
/// assert_eq!(Way::ALL, [Way::Index, Way::Feed]);
/// assert_eq!((Way::Feed.id(), Way::Index.about()), ("feed", "the search index"));
/// assert_eq!(Way::of_id("feed"), Some(Way::Feed));
/// ```
#[macro_export]
macro_rules! texts {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident(id $(, $text:ident)*) {
            $($(#[$what:meta])* $variant:ident { $($field:ident: $value:expr),+ $(,)? })+
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name { $($(#[$what])* $variant,)+ }

        const _: () = {
            struct Texts { id: &'static str, $($text: &'static str,)* }

            #[allow(dead_code, reason = "not every enum needs each of these")]
            impl $name {
                /// All of them, in their order.
                $vis const ALL: &'static [Self] = &[$(Self::$variant),+];

                const fn texts(self) -> Texts {
                    match self { $(Self::$variant => Texts { $($field: $value),+ },)+ }
                }

                /// Its id.
                $vis const fn id(self) -> &'static str {
                    self.texts().id
                }

                /// The one with this id, ASCII case ignored.
                $vis fn of_id(id: &str) -> Option<Self> {
                    Self::ALL.iter().copied().find(|one| one.id().eq_ignore_ascii_case(id))
                }

                $(
                    /// Its text of this name.
                    $vis const fn $text(self) -> &'static str {
                        self.texts().$text
                    }
                )*
            }

            impl From<$name> for &'static str {
                fn from(one: $name) -> Self {
                    one.id()
                }
            }
        };
    };
}
