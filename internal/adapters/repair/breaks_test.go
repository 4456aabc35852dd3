package repair_test

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/adapters/repair"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
)

func breaks(c *conversation.Conversation, isOn repair.IsOn) dispatch.Adapter {
	return repair.NewMessageBreaks(c, isOn)
}

// A talk is a session in which the agent speaks.
type talk struct {
	*testing.T
	agent  *dispatch.Direction
	client *dispatch.Direction
	idLast bool // the id of a message comes after its content
}

func newTalk(t *testing.T, isOn bool) *talk {
	b := newBench(breaks, isOn)
	w := &talk{T: t, agent: b.Agent, client: b.Client}
	w.open("s")
	return w
}

func (w *talk) open(session string) {
	wire.Apply(w.client, nil, []byte(`{"id":9,"method":"session/load","params":{"sessionId":"`+session+`"}}`))
	wire.Apply(w.agent, nil, []byte(`{"id":9,"result":{}}`))
}

func (w *talk) prompt() {
	wire.Apply(w.client, nil, []byte(`{"id":7,"method":"session/prompt","params":{"sessionId":"s"}}`))
	wire.Apply(w.agent, nil, []byte(`{"id":7,"result":{"stopReason":"end_turn"}}`))
}

func (w *talk) line(session, kind, id, text string) string {
	first, last := "", ""
	if id != "" && w.idLast {
		last = fmt.Sprintf(`,"messageId":%q`, id)
	} else if id != "" {
		first = fmt.Sprintf(`"messageId":%q,`, id)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":%q,%s"content":{"type":"text","text":%q}%s}}}`+"\n", session, kind, first, text, last)
}

// says sends a piece of a message. Want is its text for the client; everything else must stay.
func (w *talk) says(id, text, want string) {
	w.Helper()
	w.saysIn("s", "agent_message_chunk", id, text, want)
}

func (w *talk) saysIn(session, kind, id, text, want string) {
	w.Helper()
	out, _ := wire.Apply(w.agent, nil, []byte(w.line(session, kind, id, text)))
	if string(out) != w.line(session, kind, id, want) {
		w.Errorf("%q of %q became %s", text, id, out)
	}
}

func (w *talk) passes(update string) {
	w.Helper()
	line := `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}` + "\n"
	if out, _ := wire.Apply(w.agent, nil, []byte(line)); string(out) != line {
		w.Errorf("%s became %s", line, out)
	}
}

func TestMessagesInARow(t *testing.T) {
	for _, idLast := range []bool{false, true} {
		w := newTalk(t, true)
		w.idLast = idLast
		w.says("m1", "All ", "All ")
		w.says("m1", "done.", "done.")
		w.says("m2", "**Warning:** one", "\n\n**Warning:** one")
		w.says("m2", " more", " more")
		w.says("", "Notice", "\n\nNotice")
		w.says("", "Notice", "Notice")
		w.says("m2", " word", " word") // a message continues
		w.says("m3", "", "")           // says nothing yet
		w.says("m3", "End", "\n\nEnd")

		w.says("m4", "\nOne newline", "\n\nOne newline")
		w.says("m5", "\n\nTwo\n", "\n\nTwo\n")
		w.says("m6", "after one", "\nafter one")
		w.says("m7", "- two\n\n", "\n\n- two\n\n")
		w.says("m8", "after two", "after two")

		w.saysIn("s", "agent_thought_chunk", "t1", "Hm", "Hm")
		w.saysIn("s", "agent_thought_chunk", "t2", "So", "\n\nSo")
		w.says("m9", "after a thought", "after a thought")
		for i, between := range []string{
			`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read"}`, `{"sessionUpdate":"plan","entries":[]}`,
			`{"sessionUpdate":"plan_update","plan":{"id":"p","type":"markdown","content":"x"}}`,
			`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"you"}}`,
		} {
			w.passes(between)
			w.says(fmt.Sprint("n", i), "after something", "after something")
		}
		w.passes(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`)
		w.passes(`{"sessionUpdate":"usage_update","used":1,"size":2}`)
		w.says("o", "after what nobody sees", "\n\nafter what nobody sees")
		w.prompt()
		w.says("p", "in the next turn", "in the next turn")
		w.says("o", "whose ids are new", "\n\nwhose ids are new")

		w.open("other")
		w.saysIn("other", "agent_message_chunk", "p1", "elsewhere", "elsewhere")
		w.says("o", ", it continues", ", it continues")
		w.passes(`{"sessionUpdate":"agent_message_chunk","messageId":"q","content":{"type":"image","data":""}}`)
		w.says("r", "after an image", "after an image")
	}
}

// A message continues after a tool call, and its beginning has passed before.
func TestAMessageThatContinuesCountsAsTheLast(t *testing.T) {
	w := newTalk(t, true)
	w.says("m1", "One", "One")
	w.says("m1", " two", " two")
	w.passes(`{"sessionUpdate":"tool_call","toolCallId":"c","title":"Read"}`)
	w.says("m1", "three", "three")
	w.says("m2", "four", "\n\nfour")
	w.prompt()
	w.says("m2", "five", "five")
	w.says("m3", "six", "\n\nsix")
}

// What has no ids passes as it arrives after the first pieces, but in a session that begins later
// an id is found.
func TestAgentsWithoutIDs(t *testing.T) {
	w := newTalk(t, true)
	line := []byte(w.line("s", "agent_message_chunk", "", "x"))
	for range 64 {
		w.says("", "x", "x")
	}
	if v := w.agent.Inspect(line[:150], false); v != wire.Pass {
		t.Errorf("a piece without an id: %v", v)
	}
	w.open("later")
	w.saysIn("later", "agent_message_chunk", "", "x", "x")
	w.saysIn("later", "agent_message_chunk", "m1", "y", "\n\ny")
	w.says("m2", "z", "\n\nz")
	w.says("", "Warning", "\n\nWarning")
}

// The pieces of a message pass as they arrive, if the id comes before the content.
func TestPiecesPass(t *testing.T) {
	w := newTalk(t, true)
	w.says("m1", "x", "x")
	line := w.line("s", "agent_message_chunk", "m1", strings.Repeat("x", 1<<20))
	if v := w.agent.Inspect([]byte(line[:200]), false); v != wire.Pass {
		t.Errorf("a long piece: %v", v)
	}
}

func TestMessageBreaksAreOff(t *testing.T) {
	w := newTalk(t, false)
	w.says("m1", "one", "one")
	w.says("m2", "two", "two")
}

// The blank line is the only change of a line, and text with escapes stays as it is.
func TestTheBlankLineIsTheOnlyChange(t *testing.T) {
	w := newTalk(t, true)
	w.says("m1", "one", "one")
	const line = `{"method":"session/update", "params":{ "sessionId":"s","update":{"content":{"text": "\u0041\/ \ud83d\ude00","type":"text","annotations":null},"_meta":{"x":1.0},"messageId":"m\u0032","sessionUpdate":"agent_message_chunk"}}}`
	out, change := wire.Apply(w.agent, nil, []byte(line))
	if want := strings.Replace(line, `"\u0041`, `"\n\n\u0041`, 1); string(out) != want {
		t.Errorf("got %s", out)
	}
	if len(change.By) != 1 || !strings.Contains(change.By[0].Why.String(), "repair.message_breaks") {
		t.Errorf("the change is %+v", change)
	}
}

// The state of a session is bounded.
func TestManyMessagesOfATurn(t *testing.T) {
	w := newTalk(t, true)
	id := func(i int) string { return fmt.Sprint(i, strings.Repeat("x", 1<<16)) }
	w.says(id(0), "x", "x")
	for i := range 200 {
		w.says(id(i+1), "x", "\n\nx")
	}
	w.says(id(150), "y", "y")
	w.says(id(0), "y", "\n\ny") // it is forgotten
}
