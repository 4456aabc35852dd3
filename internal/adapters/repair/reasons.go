package repair

import "acpshim/internal/chain/wire"

// Reasons for records.
var (
	whyNotAnnounced   = wire.Reason{Code: "repair.asked-call-announced", Text: "the agent did not announce the tool call of the request (repair.asked_calls)"}
	whyAskedBefore    = wire.Reason{Code: "repair.asked-call-known", Text: "acpshim already announced the tool call, before its permission request (repair.asked_calls)"}
	whyNotEnded       = wire.Reason{Code: "repair.asked-call-ended", Text: "the agent did not end the tool call that acpshim announced (repair.asked_calls)"}
	whyAuthMethods    = wire.Reason{Code: "repair.auth-method-completed", Text: "a login method lacked its id or name, which clients require (repair.auth_methods)"}
	whyNoLogin        = wire.Reason{Code: "repair.authenticate-unknown", Text: "the agent offers a login but does not know authenticate, so the next session decides (repair.authenticate)"}
	whyBreak          = wire.Reason{Code: "repair.messages-separated", Text: "two messages come in a row, and the client may not know message ids (repair.message_breaks)"}
	whyAskedCancelled = wire.Reason{Code: "repair.question-cancelled", Text: "the client has cancelled the turn, so the question is cancelled, too (repair.cancel)"}
	whyLeftOpen       = wire.Reason{Code: "repair.open-question-cancelled", Text: "the turn was cancelled, and the client left this open"}
	whyTurnCancelled  = wire.Reason{Code: "repair.stop-reason-cancelled", Text: "the client cancelled the turn, so it ends as cancelled (repair.cancel)"}
	whyCancelAsked    = wire.Reason{Code: "repair.cancel-request", Text: "session/cancel is a notification, but the client sent it as a request (repair.cancel_request)"}
	whyNoTurn         = wire.Reason{Code: "repair.cancel-without-turn", Text: "the client cancels a session that has no open prompt, and the next prompt must go on (repair.cancel_request)"}
	whyFolderRefused  = wire.Reason{Code: "repair.session-folder-refused", Text: "the agent may refuse the folder of the session, so acpshim asks for its sessions (repair.session_folder)"}
	whyFolderSearched = wire.Reason{Code: "repair.session-folder-searched", Text: "acpshim asks for the folder of the session (repair.session_folder)"}
	whyFolderFound    = wire.Reason{Code: "repair.session-folder-found", Text: "the session began in a folder that contains the client's, so acpshim opens it there (repair.session_folder)"}
	whyFolderUnknown  = wire.Reason{Code: "repair.session-folder-unknown", Text: "the agent lists no folder of the session that contains the client's (repair.session_folder)"}
	whyMadeDiff       = wire.Reason{Code: "repair.diff-made", Text: "the tool's input is an edit, so acpshim adds it as a diff (repair.diffs)"}
	whyKeptDiff       = wire.Reason{Code: "repair.diff-kept", Text: "the text would replace the diff of the edit, so acpshim keeps the diff (repair.diffs)"}
	whyEcho           = wire.Reason{Code: "repair.prompt-echo", Text: "the client shows the prompt itself (repair.echo)"}
	whyPiece          = wire.Reason{Code: "repair.echo-held", Text: "the text may be a part of the prompt, so acpshim holds it until more comes (repair.echo)"}
	whyDiffers        = wire.Reason{Code: "repair.echo-differs", Text: "the held text is not the prompt, so acpshim forwards it (repair.echo)"}
	whyPieceLate      = wire.Reason{Code: "repair.echo-time-limit", Text: "the rest of the prompt has not come for two seconds (repair.echo)"}
	whyTurnOver       = wire.Reason{Code: "repair.echo-turn-over", Text: "the turn is over before the whole prompt came (repair.echo)"}
	whySessionEnded   = wire.Reason{Code: "repair.echo-session-ended", Text: "nothing is kept of the session any more"}
	whyAgentEnded     = wire.Reason{Code: "repair.echo-agent-ended", Text: "the agent has ended (repair.echo)"}
	whyNoRoom         = wire.Reason{Code: "repair.echo-no-room", Text: "there is no room for more parts of a prompt (repair.echo)"}
	whyCopy           = wire.Reason{Code: "repair.message-copy", Text: "the message repeats what was already streamed (repair.copies)"}
	whyResumes        = wire.Reason{Code: "repair.load-resumed", Text: "the client still shows the session, so acpshim resumes it (repair.load)"}
	whyReplay         = wire.Reason{Code: "repair.load-replay", Text: "the client still shows the session, so the replay is dropped (repair.load)"}
	whyLoginCode      = wire.Reason{Code: "repair.login-code", Text: "the agent needs a login, which has an error code of its own (repair.login_code)"}
	whyServers        = wire.Reason{Code: "repair.mcp-server-completed", Text: "an MCP server lacked args, env or headers, which agents require (repair.mcp_servers)"}
	whyServersRefused = wire.Reason{Code: "repair.mcp-servers-refused", Text: "the agent refused the MCP servers, so acpshim tries without them (repair.mcp_refused)"}
	whyWithoutServers = wire.Reason{Code: "repair.mcp-servers-removed", Text: "the session is opened without MCP servers (repair.mcp_refused)"}
	whyOptionID       = wire.Reason{Code: "repair.option-id-changed", Text: "the client reads yes or no from an option's id (repair.option_ids)"}
	whyOptionIDBack   = wire.Reason{Code: "repair.option-id-restored", Text: "acpshim restores the agent's id of this option (repair.option_ids)"}
	whyOneReject      = wire.Reason{Code: "repair.reject-removed", Text: "the client chooses an option by its kind, so it gets one that rejects (repair.one_reject)"}
	whyDismissed      = wire.Reason{Code: "repair.question-dismissed", Text: "the user dismissed the question, which refuses only this call (repair.dismiss)"}
	whyNotOffered     = wire.Reason{Code: "repair.option-not-offered", Text: "the agent did not offer this option, so acpshim sends one that rejects (repair.refusals)"}
	whyResumeReplay   = wire.Reason{Code: "repair.resume-replay", Text: "the agent replays a resumed session, which the client still shows (repair.resume)"}
	whyShell          = wire.Reason{Code: "repair.shell-line", Text: "the command is a shell line, so a shell runs it (repair.shell_lines)"}
	whyTerminal       = wire.Reason{Code: "repair.unknown-terminal", Text: "the client does not know this terminal (repair.terminals)"}
	whyCallBefore     = wire.Reason{Code: "repair.call-known", Text: "acpshim already announced the tool call, with its first update (repair.tool_calls)"}
	whyCall           = wire.Reason{Code: "repair.call-announced", Text: "the agent did not announce this tool call (repair.tool_calls)"}
	whyAskedCall      = wire.Reason{Code: "repair.call-asked", Text: "only the permission request described this tool call, so acpshim announces it (repair.tool_calls)"}
	whyCallAgain      = wire.Reason{Code: "repair.call-again", Text: "the agent announced this tool call before, and it has not ended (repair.tool_calls)"}
	whyNewID          = wire.Reason{Code: "repair.call-id", Text: "the agent used this tool call's id before, so the client knows the call by another one (repair.call_ids)"}
	whyExplained      = wire.Reason{Code: "repair.permission-explained", Text: "only _meta.permission said why the agent asks (repair.permission_reasons)"}
	whyUsage          = wire.Reason{Code: "repair.usage-added", Text: "acpshim adds the tokens where clients look for them (repair.usage)"}
	whyVersion        = wire.Reason{Code: "repair.version-one", Text: "the client announces version 2 but speaks version 1 (repair.version)"}
	whyVersionText    = wire.Reason{Code: "repair.version-number", Text: "the version of the protocol is a text, but peers want a number (repair.version)"}
)
