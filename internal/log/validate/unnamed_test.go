package validate

import (
	"slices"
	"testing"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// Members of types that no schema names are found, but not those that may have any members.
func TestMembersWithoutAName(t *testing.T) {
	for line, want := range map[string][]string{
		`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"pending","own":1}],"_meta":{"x":1}}`: {"/params/update/entries/0/own"},
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"t","rawInput":{"own":1},"rawOutput":[{"own":1}]}`:           nil,
		`{"sessionUpdate":"tool_call","toolCallId":"t","title":"t","content":[{"type":"diff","path":"/a","newText":"b","own":{}}],"own":1}`: {
			"/params/update/content/0/own", "/params/update/own"},
		`{"sessionUpdate":"cursor_update","cursorId":"c"}`: nil, // unstable
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"select","id":"a","name":"A","currentValue":"v","options":[{"value":"v","name":"V","own":1}]}]}`: {
			"/params/update/configOptions/0/options/0/own"},
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","annotations":{"audience":["user"]}}}`: nil,
	} {
		var c history.Conversation
		text := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + line + `}}`
		h := &history.History{Messages: c.Add(record.Record{Seq: 1, Message: &record.Message{Dir: wire.Agent, Line: []byte(text)}})}
		var got []string
		for _, f := range Unnamed(h, wire.Agent) {
			got = append(got, f.Pointer)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
		if other := Unnamed(h, wire.Client); other != nil {
			t.Errorf("%s: the client has %v", line, other)
		}
	}
}
