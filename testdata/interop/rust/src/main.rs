//! A client written with the Rust SDK, behind acpshim from peers-agent.mjs, as peers-client.py is.
//! Usage: peers-client "<acpshim> -- node peers-agent.mjs"
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use std::{path::PathBuf, str::FromStr, time::Duration};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    CancelNotification, ContentBlock, InitializeRequest, NewSessionRequest, PromptRequest,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionConfigOptionValue, SessionNotification,
    SetSessionConfigOptionRequest, StopReason, TextContent,
};
use agent_client_protocol::{AcpAgent, Agent, Client, UntypedMessage};
use serde_json::{Value, json};
use tokio::sync::{Mutex, Notify};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let agent = AcpAgent::from_str(&std::env::args().nth(1).ok_or("no agent command")?)?;
    let updates: Arc<Mutex<Vec<Value>>> = Arc::default();
    let asked = Arc::new(Notify::new());
    let (seen, notified) = (updates.clone(), asked.clone());
    let turns = AtomicUsize::new(0);
    Client
        .v1()
        .on_receive_notification(
            async move |n: SessionNotification, _cx| {
                seen.lock()
                    .await
                    .push(serde_json::to_value(&n.update).unwrap());
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, cx: ConnectionTo<Agent>| {
                if turns.fetch_add(1, Ordering::SeqCst) == 0 {
                    let id = request.options[0].option_id.clone();
                    let outcome =
                        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id));
                    return responder.respond(RequestPermissionResponse::new(outcome));
                }
                // The second question stays open while its turn is cancelled.
                notified.notify_one();
                cx.spawn(async move {
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    responder.respond(RequestPermissionResponse::new(
                        RequestPermissionOutcome::Cancelled,
                    ))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(agent, |connection: ConnectionTo<Agent>| async move {
            converse(&connection, &asked).await?;
            tokio::time::sleep(Duration::from_millis(500)).await;
            Ok(())
        })
        .await?;
    check(&updates.lock().await);
    Ok(())
}

async fn converse(
    connection: &ConnectionTo<Agent>,
    asked: &Notify,
) -> Result<(), agent_client_protocol::Error> {
    let about = connection
        .send_request(InitializeRequest::new(ProtocolVersion::V1))
        .block_task()
        .await?;
    assert_eq!(about.auth_methods.len(), 1, "the way to log in");
    let session = connection
        .send_request(NewSessionRequest::new(PathBuf::from("/")))
        .block_task()
        .await?;
    let id = session.session_id;
    assert_eq!(
        session.config_options.map(|o| o.len()),
        Some(2),
        "the options"
    );
    let set = SetSessionConfigOptionRequest::new(
        id.clone(),
        "mode",
        SessionConfigOptionValue::value_id("code"),
    );
    let all = connection.send_request(set).block_task().await?;
    assert_eq!(
        all.config_options.len(),
        2,
        "the options after session/set_config_option"
    );
    // This SDK has no session/set_model any more. An old client's request is the same bytes.
    let old = UntypedMessage::new(
        "session/set_model",
        json!({"sessionId": id, "modelId": "large"}),
    )?;
    assert_eq!(
        connection.send_request(old).block_task().await?,
        json!({}),
        "session/set_model"
    );

    let go = || PromptRequest::new(id.clone(), vec![ContentBlock::Text(TextContent::new("go"))]);
    let done = connection.send_request(go()).block_task().await?;
    assert_eq!(done.stop_reason, StopReason::EndTurn);
    let prompt = connection.send_request(go());
    let cancel = async {
        asked.notified().await;
        connection.send_notification(CancelNotification::new(id.clone()))
    };
    let (done, cancelled) = tokio::join!(prompt.block_task(), cancel);
    cancelled?;
    assert_eq!(done?.stop_reason, StopReason::Cancelled);
    Ok(())
}

fn check(updates: &[Value]) {
    let of = |kind: &str| {
        updates
            .iter()
            .filter(|u| u["sessionUpdate"] == kind)
            .count()
    };
    assert_eq!(of("tool_call"), 4, "announced: {updates:#?}");
    let texts: Vec<_> = updates
        .iter()
        .filter(|u| u["sessionUpdate"] == "agent_message_chunk")
        .map(|u| u["content"]["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        [
            "mode code, model large, selected",
            "mode code, model large, cancelled"
        ]
    );
    println!("Rust SDK: {} updates, 0 complaints", updates.len());
}
