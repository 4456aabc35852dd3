package versions

import "acpshim/internal/chain/wire"

// Reasons about initialize, for records.
var (
	whyVersionsDiffer = wire.Reason{Code: "versions.tries-other-version", Text: "the agent does not speak the client's version, so acpshim tries the other one"}
	whyOtherVersion   = wire.Reason{Code: "versions.initialize-sent-again", Text: "acpshim sends initialize again in the other version"}
	whyRestarts       = wire.Reason{Code: "versions.agent-restarts", Text: "the agent accepts initialize only once, so acpshim restarts it"}
	whyRestarted      = wire.Reason{Code: "versions.agent-restarted", Text: "acpshim restarted the agent and tries the other version"}
	whyRefusedBoth    = wire.Reason{Code: "versions.second-initialize-refused", Text: "the agent refused the second initialize; this is its first response"}
	whyNoSessions     = wire.Reason{Code: "versions.agent-without-sessions", Text: "the agent has no sessions, which version 1 cannot say"}
	whyAgentIs2       = wire.Reason{Code: "versions.bridged-1-to-2", Text: "the agent speaks version 2, and the client version 1"}
	whyClientIs2      = wire.Reason{Code: "versions.bridged-2-to-1", Text: "the client speaks version 2, and the agent version 1"}
	whyNamesVersion2  = wire.Reason{Code: "versions.names-wrong-version", Text: "the agent's response names version 2 but has the members of version 1, so it speaks version 1 (repair.version)"}
	whyVersionUnknown = wire.Reason{Code: "versions.held-until-version-known", Text: "acpshim holds it until the version of the protocol is known"}
	whyVersionKnown   = wire.Reason{Code: "versions.version-known", Text: "the version of the protocol is known"}
	whyLostRequest    = wire.Reason{Code: "versions.request-lost-by-restart", Text: "the agent was started again, and has not got this request"}
)

// Reasons about all messages, for records.
var (
	whyAgent2   = wire.Reason{Code: "versions.agent-speaks-2", Text: "the agent speaks version 2"}
	whyAgent1   = wire.Reason{Code: "versions.agent-speaks-1", Text: "the agent speaks version 1"}
	whyClient2  = wire.Reason{Code: "versions.client-speaks-2", Text: "the client speaks version 2"}
	whyNoParams = wire.Reason{Code: "versions.no-params", Text: "it has no params"}
	whyNoNull   = wire.Reason{Code: "versions.cancels-id-null", Text: "in version 2, no request has the id null"}
)

// Reasons about sessions, for records.
var (
	whyNoModes    = wire.Reason{Code: "versions.no-modes", Text: "the agent offers no modes, or none is named"}
	whyNoList     = wire.Reason{Code: "versions.listed-by-acpshim", Text: "the agent cannot list sessions; these are the sessions of this connection"}
	whyGone       = wire.Reason{Code: "versions.closed-session-is-gone", Text: "the session no longer exists, so it counts as closed"}
	whyNoClose    = wire.Reason{Code: "versions.closed-by-acpshim", Text: "the agent cannot close sessions, so acpshim cancels the turn"}
	whyClosed     = wire.Reason{Code: "versions.session-closed", Text: "its session is closed"}
	whyCloseHeld  = wire.Reason{Code: "versions.close-held-until-turn-ends", Text: "acpshim holds it until the turn of the session has ended"}
	whyTurnClosed = wire.Reason{Code: "versions.turn-of-closed-ended", Text: "the turn of the closed session has ended"}
	whyCloseLimit = wire.Reason{Code: "versions.close-limit", Text: "the agent has not ended the turn of the closed session within %s"}
	whyAfterClose = wire.Reason{Code: "versions.after-close", Text: "the session is closed, and in version 2 nothing of it follows"}
)

// Reasons about prompts and their turns, for records.
var (
	whyPromptRuns       = wire.Reason{Code: "versions.held-until-prompt-ends", Text: "another prompt of the session runs"}
	whyPromptEnded      = wire.Reason{Code: "versions.prompt-before-ended", Text: "the prompt before it ended"}
	whyClientEnded      = wire.Reason{Code: "versions.client-ended", Text: "the client has ended, so nothing waits any more"}
	whyAcceptedByTime   = wire.Reason{Code: "versions.accepted-by-time", Text: "the agent has had the prompt for a while"}
	whyNoResponse       = wire.Reason{Code: "versions.prompt-without-response", Text: "the prompt has ended without a response that can be read"}
	whyCancelledWaiting = wire.Reason{Code: "versions.cancelled-while-waiting", Text: "it was cancelled while it waited"}
	whyHeldCancelled    = wire.Reason{Code: "versions.cancelled-hold", Text: "acpshim held the cancelled prompt, so the agent never received it"}
	whySameKey          = wire.Reason{Code: "versions.repeated-key", Text: "a prompt with this idempotencyKey was sent before"}
	whySameResponse     = wire.Reason{Code: "versions.response-of-repeated-key", Text: "the first prompt with this idempotencyKey has got this response"}
	whyTurnRuns         = wire.Reason{Code: "versions.held-until-turn-ends", Text: "acpshim holds the response until the turn ends"}
	whyIdle             = wire.Reason{Code: "versions.turn-ended", Text: "the agent is idle: the turn has ended"}
	whyNoRoom           = wire.Reason{Code: "versions.no-room", Text: "there is no room for the state of its session any more"}
	whyRefusedCancelled = wire.Reason{Code: "versions.cancelled-before-accepted", Text: "the prompt was cancelled before the agent accepted it"}
	whyCancelledEarly   = wire.Reason{Code: "versions.cancelled-before-response", Text: "the prompt was cancelled before the agent answered it"}
	whyTurnCancelled    = wire.Reason{Code: "versions.cancels-turn", Text: "the agent responded to the prompt, but its turn is cancelled"}
)

// Reasons about questions of the agent, for records.
var (
	whyWithdrawn    = wire.Reason{Code: "versions.question-withdrawn", Text: "the agent has taken the request back"}
	whyNoOptions    = wire.Reason{Code: "versions.no-options", Text: "no option of the permission request can be shown, so nobody can choose one"}
	whyCancelled    = wire.Reason{Code: "versions.question-of-cancelled-turn", Text: "the client has cancelled the turn"}
	whyAgentCancels = wire.Reason{Code: "versions.question-cancelled", Text: "in version 2, the agent cancels its requests when the client cancels the turn"}
	whyNotWaiting   = wire.Reason{Code: "versions.agent-waits-no-more", Text: "the agent does not wait for the client any more"}
	whyDecided      = wire.Reason{Code: "versions.client-decided", Text: "the client has decided"}
	whyDismissed    = wire.Reason{Code: "versions.question-dismissed", Text: "the client dismissed the request but did not cancel the turn"}
	whyNoMethod     = wire.Reason{Code: "versions.no-such-client-method", Text: "version 2 has no such method for clients"}
)

// Reasons about updates, for records.
var (
	whyNoUpdate     = wire.Reason{Code: "versions.no-such-update", Text: "version 1 has no such update"}
	whyNoMessage    = wire.Reason{Code: "versions.no-such-message", Text: "version 1 has no such message"}
	whyNotAnnounced = wire.Reason{Code: "versions.not-announced", Text: "the client does not announce %s"}
	whyNoContent    = wire.Reason{Code: "versions.no-such-content", Text: "version 1 has no content of this type"}
	whyNoMember     = wire.Reason{Code: "versions.no-such-member", Text: "the other version has no %s of this type"}
	whyOwnMessage   = wire.Reason{Code: "versions.sent-by-client", Text: "the client has sent it"}
	whyOwnPrompt    = wire.Reason{Code: "versions.prompt-of-client", Text: "the client already has the prompt"}
	whyNextMessage  = wire.Reason{Code: "versions.begins-message", Text: "it begins another message"}
	whyFinal        = wire.Reason{Code: "versions.changes-earlier-content", Text: "version 1 cannot change earlier content"}
	whyTooLarge     = wire.Reason{Code: "versions.message-too-large", Text: "the rest of the message is too large to be shown"}
	whyGrowing      = wire.Reason{Code: "versions.content-held", Text: "acpshim holds the content, because version 1 shows it as a whole"}
	whyGrown        = wire.Reason{Code: "versions.content-shown", Text: "acpshim shows the added content"}
	whyNotice       = wire.Reason{Code: "versions.notice-as-message", Text: "the client does not announce session.notices, so the notice is shown as a message of the agent"}
	whyCompaction   = wire.Reason{Code: "versions.compaction-as-call", Text: "the client does not announce session.compaction, so the compaction is shown as a tool call"}
	whySkill        = wire.Reason{Code: "versions.command-as-skill", Text: "the agent offers this command as a skill, which a prompt of version 2 refers to"}
	whySilent       = wire.Reason{Code: "versions.replay-not-wanted", Text: "the client has not asked for a replay"}
	whyModes        = wire.Reason{Code: "versions.mode-is-option", Text: "version 2 has modes among the configuration options"}
	whyOnlyTerminal = wire.Reason{Code: "versions.only-terminal", Text: "the update only reports a terminal"}
)

// Reasons about subagents, for records.
var (
	whyHidden        = wire.Reason{Code: "versions.subagent-hidden", Text: "the client does not announce support for subagents, so it is not shown what a subagent does"}
	whyAsCall        = wire.Reason{Code: "versions.subagent-as-call", Text: "the client does not announce support for subagents, so a tool call stands for the subagent"}
	whyNoLinks       = wire.Reason{Code: "versions.refers-to-subagent", Text: "the client does not announce support for subagents, and the content refers to the session of one"}
	whyAskedFor      = wire.Reason{Code: "versions.asked-for-subagent", Text: "the client does not know the session of the subagent, so it is asked in the session that began it"}
	whyCallOfChild   = wire.Reason{Code: "versions.call-of-subagent", Text: "the client was asked about this tool call of a subagent in the session that began it"}
	whyStateOfChild  = wire.Reason{Code: "versions.subagent-state-added", Text: "version 2 has the state of a subagent in its own session, too"}
	whyStateInParent = wire.Reason{Code: "versions.subagent-state-moved", Text: "version 1 has the state of a subagent in the session that began it"}
	whyStateKnown    = wire.Reason{Code: "versions.subagent-state-known", Text: "the client has the state of the subagent from the session that began it"}
)
