//! Waiting for several boards at once without a runtime of our own.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// A board being asked.
pub type Asking<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Waits until every one has answered; the answers come in the order given.
pub async fn settle<T>(mut asking: Vec<Asking<'_, T>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = asking.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut all = true;
        for (future, answer) in asking.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *answer = Some(value),
                    Poll::Pending => all = false,
                }
            }
        }
        if all { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::{Context, Waker};

    /// Ready at the second look.
    fn slow(value: u8) -> Asking<'static, u8> {
        let mut looked = false;
        Box::pin(poll_fn(move |_| {
            if looked {
                return Poll::Ready(value);
            }
            looked = true;
            Poll::Pending
        }))
    }

    #[test]
    fn answers_keep_their_order_and_none_is_asked_twice() {
        let mut all = Box::pin(settle(vec![slow(1), Box::pin(std::future::ready(2)), slow(3)]));
        let mut context = Context::from_waker(Waker::noop());
        assert!(all.as_mut().poll(&mut context).is_pending());
        let Poll::Ready(answers) = all.as_mut().poll(&mut context) else {
            panic!()
        };
        assert_eq!(answers, [1, 2, 3]);
    }
}
