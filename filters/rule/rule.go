package rule

import (
	"acpshim/internal/conversation"

	"github.com/go-json-experiment/json/jsontext"
)

// A Side is a peer, and a direction by where its lines come from.
type Side = conversation.Side

// The sides of a rule.
const (
	Client      = conversation.Client
	Agent       = conversation.Agent
	Both   Side = "both" // of Rule.From only
)

// A Rule says which messages it is about and what becomes of them. A field that is left out makes
// no condition. All globs are those of package glob; a ! in front negates them.
type Rule struct {
	Name string // unique; logs and reports have it
	Off  bool   // not applied unless Options.Switches turns it on

	From       Side   // "" is Both
	Method     string // glob; requests and notifications only
	Update     string // glob on params.update.sessionUpdate of session/update
	ResponseTo string // glob on the request's method; responses only
	Session    string // glob on params.sessionId
	Protocol   int    // the negotiated protocolVersion

	// Client and Agent are globs on clientInfo.name and agentInfo.name. A
	// version range may follow, as in "Zed* >=0.200 <1".
	Client, Agent string

	// Pointers, here and below, are those of [wire.ParseSelector]: they may name several values.
	// These are into clientCapabilities and agentCapabilities, as initialize has them. null and
	// false are no capability. One value is enough; lacking are all.
	ClientHas, ClientLacks []string
	AgentHas, AgentLacks   []string

	When When

	// The actions, in the order in which they are carried out. One on a place that a message does
	// not have is left out.
	Rename []Renaming
	Set    []Setting
	Append []Setting
	Delete []string // pointers
	JQ     string   // a program that the message is given to; see the package
	Log    bool
	Hold   string // "response": a notification waits for the response that opens its session
	Action string // "drop": a notification goes no further
	Reply  *Reply // the response to a request, which goes no further
}

// When is conditions on values of the message, by their pointers into the whole message, such as
// "/params/update/title". Of several values one is enough; absent are all.
type When struct {
	Has    []string                  // there, null included
	Absent []string                  // not there
	Equals map[string]jsontext.Value // the same JSON value, however it is spelled
	Glob   map[string]string         // a string that the glob matches
	Regexp map[string]string         // a string in which RE2 finds a match

	Client, Agent string // as those of Rule
}

// A Setting is a place and the JSON value that it is given.
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
