//! Write queue for answers. All queued answers are written in one transaction, because a separate transaction for
//! each would delay a burst.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::backend::AnswerRow;
use crate::error::{StoreError, Trouble};
use crate::reach::Reach;

/// Maximum number of answers in one transaction.
const AT_ONCE: usize = 64;

/// Result that one caller receives for its answer.
type WriteResult = Result<(), StoreError>;
/// Answers with their owners, and the waiting callers.
type Batch = (Vec<(String, AnswerRow)>, Vec<oneshot::Sender<WriteResult>>);

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    rows: Vec<(String, AnswerRow)>,
    told: Vec<oneshot::Sender<WriteResult>>,
    /// Whether a task is writing.
    writing: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an answer. The returned channel receives the result of the write.
    pub(crate) fn add(
        self: &Arc<Self>,
        reach: &Arc<Reach>,
        owner: &str,
        row: AnswerRow,
    ) -> oneshot::Receiver<WriteResult> {
        let (told, kept) = oneshot::channel();
        let mut state = self.state();
        state.rows.push((owner.to_owned(), row));
        state.told.push(told);
        if !std::mem::replace(&mut state.writing, true) {
            drop(state);
            reach.spawn(write(Arc::clone(self), Arc::clone(reach)));
        }
        kept
    }

    /// Returns the next batch; `None` ends the writing task.
    fn take(&self) -> Option<Batch> {
        let mut state = self.state();
        let many = state.rows.len().min(AT_ONCE);
        if many == 0 {
            state.writing = false;
            return None;
        }
        Some((
            state.rows.drain(..many).collect(),
            state.told.drain(..many).collect(),
        ))
    }
}

async fn write(queue: Arc<Queue>, reach: Arc<Reach>) {
    while let Some((rows, told)) = queue.take() {
        let done = written(&reach, &rows).await;
        let alone = rows.len() > 1
            && matches!(&done, Err(error) if matches!(error.trouble, Trouble::TooLarge | Trouble::Other));
        for (row, told) in rows.iter().zip(told) {
            // An answer that cannot be written must not block the others.
            let done = if alone {
                written(&reach, std::slice::from_ref(row)).await
            } else {
                done.clone()
            };
            // A caller that timed out no longer listens.
            let _ = told.send(done);
        }
    }
}

async fn written(reach: &Arc<Reach>, rows: &[(String, AnswerRow)]) -> WriteResult {
    let done = match reach.now() {
        Ok(backend) => backend.put_answers(rows).await,
        Err(error) => Err(error),
    };
    reach.note_written(&done);
    done
}
