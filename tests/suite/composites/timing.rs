//! Composites in time: a deadline that sections share, progress, cancellation.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshcontext_contract::{BoxFuture, Limits};
use freshcontext_engine::{CallContext, Progress};
use freshcontext_testkit::{Reply, Script};
use libtest_mimic::Failed;
use serde_json::json;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::form::form;
use super::{Table, address, call, engine, once, refusal, sections};
use crate::verdict;

/// A10: if any section hangs and another fails, the rest is returned at the shared deadline.
pub(super) async fn deadline(table: Arc<Table>) -> Result<(), Failed> {
    let questions = Arc::new(table.questions().await?);
    let whole = table.ordinary(&json!({})).await?;
    let asked: Vec<usize> = (0..questions.len())
        .filter(|at| !questions[*at].is_empty())
        .collect();
    let limits = Limits {
        composite_deadline_ms: 1_500,
        ..once()
    };
    let mut out = Vec::new();
    for (turn, hanging) in asked.iter().copied().enumerate() {
        let failing = asked[(turn + 1) % asked.len()];
        let (of, questions) = (Arc::clone(&table), Arc::clone(&questions));
        let serving = table.serve(limits.clone(), move |seen| {
            match of.asker(&questions, &[hanging, failing], seen) {
                Some(at) if at == hanging => Some(Reply::default()),
                Some(at) if at == failing => Some(refusal(at)),
                _ => None,
            }
        });
        let (engine, _upstream, _) = serving.await?;
        let arguments = table.case.arguments.clone();
        let began = Instant::now();
        let outcome = call(&engine, table.composite.tool, arguments, CallContext::default()).await?;
        let took = began.elapsed();
        out.extend(form(&table, &engine, &outcome));
        // 200 ms are allowed on an idle machine; the suite shares its own.
        if took > Duration::from_secs(2) {
            out.push(format!("hanging {hanging}: it took {took:?}"));
        }
        for (at, (section, before)) in sections(&outcome).iter().zip(sections(&whole)).enumerate() {
            let right = match at {
                at if at == hanging => section["error"]["code"] == "timeout",
                at if at == failing => section["status"] == "failed",
                _ => section["status"] == before["status"],
            };
            if !right {
                out.push(format!(
                    "hanging {hanging}, failing {failing}: section {at} is {section}"
                ));
            }
        }
    }
    verdict(out)
}

#[derive(Default)]
struct Steps(Mutex<Vec<(usize, usize, String)>>);

impl Progress for Steps {
    fn report(&self, done: usize, total: usize, message: String) -> BoxFuture<'_, ()> {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        steps.push((done, total, message));
        Box::pin(std::future::ready(()))
    }
}

/// Every section is reported once, when it settles; the slowest last.
pub(super) async fn progress(table: Arc<Table>) -> Result<(), Failed> {
    let questions = table.questions().await?;
    let slowest = questions.iter().position(|asked| !asked.is_empty()).unwrap_or(0);
    let slow = questions.get(slowest).cloned().unwrap_or_default();
    let answers = Script::of(&table.case, Path::new(""))?;
    let (engine, _upstream, _) = table
        .serve(once(), move |seen| {
            slow.contains(&address(seen)).then(|| Reply {
                delay_ms: 1_500,
                ..answers.answer(seen)
            })
        })
        .await?;
    let steps = Arc::new(Steps::default());
    let context = CallContext {
        progress: Some(Arc::clone(&steps) as Arc<dyn Progress>),
        ..CallContext::default()
    };
    call(
        &engine,
        table.composite.tool,
        table.case.arguments.clone(),
        context,
    )
    .await?;
    let steps = steps.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let total = table.plan.sections.len();
    let counted: Vec<(usize, usize)> = steps.iter().map(|(done, total, _)| (*done, *total)).collect();
    assert_eq!(
        counted,
        (1..=total).map(|done| (done, total)).collect::<Vec<_>>(),
        "{steps:?}"
    );
    for (at, part) in table.plan.sections.iter().enumerate() {
        let told: Vec<usize> = (0..total)
            .filter(|step| steps[*step].2.starts_with(&part.label))
            .collect();
        assert_eq!(told.len(), 1, "{}: {steps:?}", part.label);
        let word = if part.skipped.is_some() {
            "failed"
        } else {
            "answered"
        };
        assert!(steps[told[0]].2.ends_with(word), "{steps:?}");
        assert_eq!(told[0] == total - 1, at == slowest, "{steps:?}");
    }
    Ok(())
}

/// A listener that never progresses does not delay the answer.
pub(super) async fn nobody_listens(table: Arc<Table>) -> Result<(), Failed> {
    struct Deaf;
    impl Progress for Deaf {
        fn report(&self, _: usize, _: usize, _: String) -> BoxFuture<'_, ()> {
            Box::pin(std::future::pending())
        }
    }
    let (engine, _upstream, _) = table.serve(once(), |_| None).await?;
    let context = CallContext {
        progress: Some(Arc::new(Deaf)),
        ..CallContext::default()
    };
    let arguments = table.case.arguments.clone();
    let calling = call(&engine, table.composite.tool, arguments, context);
    let outcome = tokio::time::timeout(Duration::from_secs(10), calling).await??;
    verdict(form(&table, &engine, &outcome))
}

/// A cancelled composite returns at once and closes every connection.
pub(super) async fn cancelled(table: Arc<Table>) -> Result<(), Failed> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base = format!("http://{}", listener.local_addr()?);
    let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let (opened, mut opens) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (opened, ended) = (opened.clone(), ended.clone());
            tokio::spawn(async move {
                let mut seen = [0; 4_096];
                let mut first = true;
                while stream.read(&mut seen).await.is_ok_and(|read| read > 0) {
                    if std::mem::take(&mut first) {
                        let _ = opened.send(());
                    }
                }
                let _ = ended.send(());
            });
        }
    });
    let engine = engine(&base, table.case.now, once())?;
    let context = CallContext::default();
    let cancellation = context.cancellation.clone();
    let (tool, arguments) = (table.composite.tool, table.case.arguments.clone());
    let running = tokio::spawn(async move { call(&engine, tool, arguments, context).await });
    let asked = table
        .plan
        .sections
        .iter()
        .filter(|part| part.skipped.is_none())
        .count();
    let patience = Duration::from_secs(10);
    for _ in 0..asked {
        tokio::time::timeout(patience, opens.recv()).await?;
    }
    let began = Instant::now();
    cancellation.cancel();
    let outcome = running.await??;
    assert_eq!(outcome.code(), "cancelled", "{}", outcome.text);
    // Connections opened meanwhile are closed as well.
    let mut open = asked;
    while let Ok(()) = opens.try_recv() {
        open += 1;
    }
    for _ in 0..open {
        tokio::time::timeout(patience, ends.recv()).await?;
    }
    assert!(
        began.elapsed() <= Duration::from_millis(500),
        "{:?}",
        began.elapsed()
    );
    Ok(())
}
