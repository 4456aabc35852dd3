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

// A Rule says which messages it concerns and what becomes of them. A field that
// is left out asks for nothing. All globs are patterns of package glob, and a ! in
// front is for what does not match.
type Rule struct {
	Name string // unique; reports tell it
	Off  bool   // not applied unless Options.Switches says so

	From       Side   // "" is Both
	Method     string // glob; requests and notifications only
	Update     string // glob on params.update.sessionUpdate of session/update
	ResponseTo string // glob on the request's method; responses only
	Session    string // glob on params.sessionId
	Protocol   int    // the negotiated protocolVersion

	// Client and Agent are globs on clientInfo.name and agentInfo.name. A
	// version range may follow, as in "Zed* >=0.200 <1".
	Client, Agent string

	// JSON Pointers into what initialize told: clientCapabilities and
	// agentCapabilities. null and false are no capability.
	ClientHas, ClientLacks []string
	AgentHas, AgentLacks   []string

	When When

	// The actions, in the order in which one rule carries them out. What names
	// a place that a message does not have leaves that message.
	Rename []Renaming
	Set    []Setting
	Append []Setting
	Delete []string // pointers
	JQ     string   // a program that gets the message; see the package
	Log    bool
	Hold   string // "response": back until the session's opening is answered
	Action string // "drop": a notification
	Reply  *Reply // the answer to a request
}

// When asks for values in the message. Its pointers begin at the whole message,
// as in "/params/update/title".
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

// A Reply is one of a result and a JSON-RPC error.
type Reply struct {
	Result jsontext.Value
	Error  jsontext.Value // an object with code and message
}
