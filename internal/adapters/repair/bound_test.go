package repair

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

// The state of calls and requests counts once in the conversation's limit, and is removed with its
// session or request.
func TestStateIsBounded(t *testing.T) {
	c := conversation.New(conversation.Options{})
	on := func(_, _ conversation.Implementation) bool { return true }
	diffs, calls, cancel, resumes := NewDiffs(c, func(path string) string { return path }, on), NewToolCalls(c, func(_, _ conversation.Implementation) CallSettings { return CallSettings{Announce: true} }), NewCancel(c, on), NewResume(c, on)
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{diffs, calls, cancel, resumes}}).Negotiate(1)
	b.Says(dispatch.Client, `{"id":1,"method":"session/resume","params":{"sessionId":"s"}}`)
	if n := values(c, resumes.opening); n != 1 {
		t.Errorf("%d sessions are being resumed", n)
	}
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	size := func() int {
		return c.Size()
	}
	sizes := []int{size()}
	for range 2 {
		b.Says(dispatch.Agent, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit"}}}`)
		sizes = append(sizes, size())
	}
	if sizes[1] <= sizes[0] || sizes[2] != sizes[1] {
		t.Errorf("a call counts as %d bytes, then as %d", sizes[1]-sizes[0], sizes[2]-sizes[0])
	}
	b.Says(dispatch.Client, `{"id":1,"method":"session/prompt","params":{"sessionId":"s"}}`)
	b.Says(dispatch.Agent, `{"id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"}}}`)
	if questions := values(c, cancel.permissions); questions != 1 {
		t.Errorf("%d questions are pending", questions)
	}
	b.Says(dispatch.Client, `{"id":1,"result":{}}`)
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	b.Says(dispatch.Client, `{"id":1,"method":"session/close","params":{"sessionId":"s"}}`)
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	edits, lists := values(c, diffs.sessions), values(c, calls.sessions)
	questions, resumed := values(c, cancel.permissions), values(c, resumes.opening)
	if edits+lists+questions+resumed != 0 {
		t.Errorf("then %d edits, %d lists of calls, %d questions and %d sessions are noted", edits, lists, questions, resumed)
	}
}

// values returns how many requests or sessions have a value.
func values[K conversation.Owner, T any](c *conversation.Conversation, slot *conversation.Slot[K, T]) (n int) {
	for range slot.All() {
		n++
	}
	return n
}

// The ids of permission requests count in the limit, however long they are.
func TestLongIDsAreBounded(t *testing.T) {
	const bound = 1 << 20
	c := conversation.New(conversation.Options{MaxBytes: bound})
	cancel := NewCancel(c, func(_, _ conversation.Implementation) bool { return true })
	d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{cancel}})
	client, agent := d.FromClient(), d.FromAgent()
	wire.Apply(client, nil, []byte(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}`))
	wire.Apply(agent, nil, []byte(`{"id":1,"result":{"protocolVersion":1}}`))
	for i := range 100 {
		id := fmt.Sprint(i, strings.Repeat("i", bound/10))
		wire.Apply(agent, nil, fmt.Appendf(nil, `{"id":%q,"method":"session/request_permission","params":{"sessionId":"s"}}`, id))
	}
	if n := values(c, cancel.permissions); n < 5 || n > 10 {
		t.Errorf("%d ids are kept", n)
	}
}

// The diffs of a session are bounded. The newest is kept.
func TestDiffsAreBounded(t *testing.T) {
	c := conversation.New(conversation.Options{})
	diffs := NewDiffs(c, func(path string) string { return path }, func(_, _ conversation.Implementation) bool { return true })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{diffs}}).Negotiate(1)
	b.Says(dispatch.Client, `{"id":1,"method":"session/load","params":{"sessionId":"s"}}`)
	text := strings.Repeat("x", maxInput-100)
	for i := range 3 {
		b.Says(dispatch.Agent, fmt.Sprintf(`{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"%d","kind":"edit","status":"completed","rawInput":{"path":"/a","content":"%s"}}}}`, i, text))
	}
	size := func() int {
		return c.Size()
	}
	if n := size(); n < len(text) || n > 2*len(text) {
		t.Errorf("three diffs of %d bytes count as %d bytes", len(text), n)
	}
	b.Sent()
	b.Says(dispatch.Agent, `{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"2","content":[{"type":"content"}]}}}`)
	if got, _ := b.Sent(); len(got[0]) < len(text) {
		t.Errorf("the diff is not kept: %s", got)
	}
	b.Says(dispatch.Agent, `{"id":1,"result":{}}`)
	if n := size(); n > 10_000 {
		t.Errorf("after the load they count as %d bytes", n)
	}
}
