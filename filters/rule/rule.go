package rule

import (
	"acpshim/internal/chain/conversation"

	"github.com/go-json-experiment/json/jsontext"
)

// A Side is a peer, or the direction of the lines that it sends.
type Side = conversation.Side

// The sides of a rule.
const (
	Client      = conversation.Client
	Agent       = conversation.Agent
	Both   Side = "both" // only for Rule.From
)

// A Rule says which messages it matches and what it does with them. An empty field is no condition.
// For globs, see package glob; a leading ! negates them.
type Rule struct {
	Name string // unique; for logs and reports
	Off  bool   // off unless Options.Switches turns it on

	From       Side   // "" is Both
	Method     string // a glob; only for requests and notifications
	Update     string // a glob for params.update.sessionUpdate of session/update
	ResponseTo string // a glob for the request's method; only for responses
	Session    string // a glob for params.sessionId
	Protocol   int    // the negotiated protocolVersion; 0 for any

	// Client and Agent are globs for clientInfo.name and agentInfo.name. A version range may
	// follow, as in "Zed* >=0.200 <1".
	Client, Agent string

	// Pointers, here and below, are those of [wire.ParseSelector], and may name several values.
	// These point into clientCapabilities and agentCapabilities. null and false count as lacking.
	// For has, one value is enough; for lacks, all must be lacking.
	ClientHas, ClientLacks []string
	AgentHas, AgentLacks   []string

	When When

	// The actions, in order. An action on a place that a message does not have is skipped.
	Rename []Renaming
	Set    []Setting
	Append []Setting
	Delete []string // pointers
	JQ     string   // a program; see the package
	Log    bool
	Hold   string // "response": hold a notification until the response that opens its session
	Action string // "drop": drop a notification
	Reply  *Reply // the response to a request, which is not forwarded
}

// When is conditions on values of the message, by pointers into the whole message, such as
// "/params/update/title". If a pointer names several values, one is enough; for Absent, all must be
// absent.
type When struct {
	Has    []string                  // the value exists; null counts
	Absent []string                  // the value does not exist
	Equals map[string]jsontext.Value // the value equals this one, however it is spelled
	Glob   map[string]string         // the value is a string that the glob matches
	Regexp map[string]string         // the value is a string in which RE2 finds a match

	Client, Agent string // as in Rule
}

// A Setting is a value for a place.
type Setting struct {
	Pointer string
	Value   jsontext.Value
}

// A Renaming is a member and its new name.
type Renaming struct {
	Pointer string
	Name    string
}

// A Reply has either a result or a JSON-RPC error.
type Reply struct {
	Result jsontext.Value
	Error  jsontext.Value // an object with code and message
}
