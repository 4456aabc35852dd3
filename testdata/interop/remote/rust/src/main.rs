//! A scripted v1 agent of the Rust SDK, served over WebSocket and streamable HTTP on 127.0.0.1 at /acp.
//! The first line of stdout is its URL. Prompts: updates N | big N | ask | hang | anything else (echoed).
use std::collections::HashMap;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, CancelNotification, ContentBlock, ContentChunk, InitializeRequest,
    InitializeResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, PermissionOption, PermissionOptionKind, PromptRequest, PromptResponse,
    RequestPermissionOutcome, RequestPermissionRequest, SessionNotification, SessionUpdate,
    StopReason, TextContent, ToolCallUpdate, ToolCallUpdateFields,
};
use agent_client_protocol::{Agent, Client, ConnectTo, Error};
use agent_client_protocol_http::AcpHttpServer;
use tokio::sync::oneshot;

static SESSIONS: AtomicUsize = AtomicUsize::new(0);

/// Turns that wait for session/cancel, by session.
type Hanging = Arc<Mutex<HashMap<String, oneshot::Sender<()>>>>;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/acp", listener.local_addr()?);
    std::io::stdout().flush()?;
    axum::serve(listener, AcpHttpServer::new(agent).into_router()).await
}

/// One agent for one connection.
fn agent() -> impl ConnectTo<Client> {
    let hanging = Hanging::default();
    let cancelled = hanging.clone();
    Agent
        .v1()
        .name("remote-agent")
        .on_receive_request(
            async |request: InitializeRequest, responder, _cx: ConnectionTo<Client>| {
                let can = AgentCapabilities::new().load_session(true);
                responder.respond(
                    InitializeResponse::new(request.protocol_version).agent_capabilities(can),
                )
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async |_: NewSessionRequest, responder, _cx: ConnectionTo<Client>| {
                let n = SESSIONS.fetch_add(1, Ordering::SeqCst) + 1;
                responder.respond(NewSessionResponse::new(format!("rust-{n}")))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async |request: LoadSessionRequest, responder, cx: ConnectionTo<Client>| {
                for n in 0..2 {
                    say(&cx, &request.session_id.0, format!("old {n}"))?;
                }
                responder.respond(LoadSessionResponse::new())
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_request(
            async move |request: PromptRequest, responder, cx: ConnectionTo<Client>| {
                let session = request.session_id.0.to_string();
                let text = match request.prompt.first() {
                    Some(ContentBlock::Text(t)) => t.text.clone(),
                    _ => String::new(),
                };
                // Registered before the next message is read, so that no session/cancel is missed.
                let (tx, rx) = oneshot::channel();
                if text == "hang" {
                    hanging.lock().unwrap().insert(session.clone(), tx);
                }
                let turns = cx.clone();
                cx.spawn(async move {
                    match turn(&turns, &session, &text, rx).await {
                        Ok(reason) => responder.respond(PromptResponse::new(reason)),
                        Err(error) => responder.respond_with_error(error),
                    }
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |n: CancelNotification, _cx: ConnectionTo<Client>| {
                if let Some(turn) = cancelled.lock().unwrap().remove(&*n.session_id.0) {
                    let _ = turn.send(());
                }
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
}

async fn turn(
    cx: &ConnectionTo<Client>,
    session: &str,
    text: &str,
    cancelled: oneshot::Receiver<()>,
) -> Result<StopReason, Error> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let count = || {
        rest.parse::<usize>()
            .map_err(|e| Error::invalid_params().data(format!("{text}: {e}")))
    };
    match word {
        "updates" => {
            for n in 0..count()? {
                say(cx, session, n.to_string())?;
            }
        }
        "big" => say(cx, session, "x".repeat(count()?))?,
        "ask" => {
            let options = vec![
                PermissionOption::new("leap", "Leap", PermissionOptionKind::AllowOnce),
                PermissionOption::new("stay", "Stay", PermissionOptionKind::RejectOnce),
            ];
            let call = ToolCallUpdate::new("call-1", ToolCallUpdateFields::new().title("Ask"));
            let question = RequestPermissionRequest::new(session.to_string(), call, options);
            match cx.send_request(question).block_task().await?.outcome {
                RequestPermissionOutcome::Selected(o) => {
                    say(cx, session, o.option_id.0.to_string())?
                }
                _ => return Ok(StopReason::Cancelled),
            }
        }
        "hang" => {
            say(cx, session, "waiting".to_string())?;
            let _ = cancelled.await;
            return Ok(StopReason::Cancelled);
        }
        _ => say(cx, session, text.to_string())?,
    }
    Ok(StopReason::EndTurn)
}

fn say(cx: &ConnectionTo<Client>, session: &str, text: String) -> Result<(), Error> {
    let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
    cx.send_notification(SessionNotification::new(
        session.to_string(),
        SessionUpdate::AgentMessageChunk(chunk),
    ))
}
