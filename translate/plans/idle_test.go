package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/translate"
)

// newIdle returns a bench for a client with a session s and the pending prompt 3.
func newIdle(capabilities string) *dispatchtest.Bench {
	c := conversation.New(conversation.Options{})
	a := New(c, Options{For: func(_, _ conversation.Implementation) Settings {
		return Settings{Advertise: true, Policy: translate.Checklists, ShowAs: AsPlan}
	}})
	idle := NewIdle(a, func(_, _ conversation.Implementation) string { return "pending" })
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a, idle}})
	b.Says(dispatch.Client, `{"id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":`+capabilities+`}}`)
	b.Says(dispatch.Agent, `{"id":"i","result":{"protocolVersion":1}}`)
	b.Says(dispatch.Client, `{"id":1,"method":"session/new","params":{"cwd":"/"}}`)
	b.Says(dispatch.Agent, `{"id":1,"result":{"sessionId":"s"}}`)
	b.Says(dispatch.Client, strings.Replace(nextS, `"id":4`, `"id":3`, 1))
	b.Sent()
	return b
}

func inProgress(id string, contents ...string) string {
	var entries []string
	for _, content := range contents {
		entries = append(entries, fmt.Sprintf(`{"content":%q,"priority":"medium","status":"in_progress"}`, content))
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":%q,"entries":[%s]}}}}`, id, strings.Join(entries, ","))
}

// statuses returns the statuses of the plans that the client got, and where responses came.
func statuses(b *dispatchtest.Bench) string {
	var all []string
	toClient, _ := b.Sent()
	for _, line := range toClient {
		switch {
		case strings.Contains(line, `"id":`):
			all = append(all, "response")
		default:
			all = append(all, fmt.Sprintf("%d in_progress, %d pending", strings.Count(line, `"in_progress"`), strings.Count(line, `"pending"`)))
		}
	}
	return strings.Join(all, "; ")
}

// The same plan comes again when the agent sends it again, in this turn or the next one.
func TestAPlanAfterAnIdleOneIsNotARepetition(t *testing.T) {
	b := newIdle(`{}`)
	b.Says(dispatch.Agent, inProgress("p", "a"))
	b.Says(dispatch.Agent, inProgress("q", "b"))
	b.Says(dispatch.Agent, answerS)
	b.Says(dispatch.Agent, inProgress("q", "b"))
	want := "1 in_progress, 0 pending; 2 in_progress, 0 pending; 0 in_progress, 2 pending; response; 2 in_progress, 0 pending"
	if got := statuses(b); got != want {
		t.Errorf("the client gets %s", got)
	}
	b.Says(dispatch.Client, nextS)
	b.Says(dispatch.Agent, nextDoneS)
	if got := statuses(b); got != "0 in_progress, 2 pending; response" {
		t.Errorf("in the next turn the client gets %s", got)
	}
}

// A prompt that is refused while another one runs ends no turn.
func TestARefusedSecondPromptLeavesThePlan(t *testing.T) {
	b := newIdle(`{}`)
	b.Says(dispatch.Agent, inProgress("p", "a"))
	b.Says(dispatch.Client, nextS)
	b.Says(dispatch.Agent, `{"id":4,"error":{"code":-32603,"message":"a turn runs"}}`)
	if got := statuses(b); got != "1 in_progress, 0 pending; response" {
		t.Errorf("the client gets %s", got)
	}
	b.Says(dispatch.Agent, answerS)
	if got := statuses(b); got != "0 in_progress, 1 pending; response" {
		t.Errorf("at the end of the turn the client gets %s", got)
	}
}

// Of plans that take more than a bound the oldest are forgotten, and their steps stay as they are.
func TestIdlePlansAreBounded(t *testing.T) {
	b := newIdle(`{"plan":{}}`)
	for i := range 10 {
		b.Says(dispatch.Agent, inProgress(fmt.Sprint("p", i), strings.Repeat("x", 200<<10)))
	}
	b.Says(dispatch.Agent, inProgress("long", strings.Repeat("x", 2<<20)))
	b.Sent()
	b.Says(dispatch.Agent, answerS)
	var ids []string
	toClient, _ := b.Sent()
	for _, line := range toClient {
		_, id, _ := strings.Cut(line, `"planId":"`)
		id, _, _ = strings.Cut(id, `"`)
		ids = append(ids, id)
	}
	if got := strings.Join(ids, " "); got != "p5 p6 p7 p8 p9 " {
		t.Errorf("the client gets %q", got)
	}
}
