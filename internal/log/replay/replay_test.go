package replay

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acpshim/internal/record"
	"acpshim/internal/record/history"

	"github.com/google/go-cmp/cmp"
)

// conversation returns the messages of lines such as "client {...}", one millisecond apart.
func conversation(t *testing.T, lines string) []*history.Message {
	t.Helper()
	var text strings.Builder
	seq := 0
	for line := range strings.Lines(lines) {
		dir, msg, ok := strings.Cut(strings.TrimSpace(line), " ")
		if !ok {
			continue
		}
		seq++
		fmt.Fprintf(&text, `{"kind":"message","seq":%d,"mono":%d,"dir":%q,"msg":%s}`+"\n", seq, seq*1_000_000, dir, msg)
	}
	h, err := history.Read(record.NewReader(strings.NewReader(text.String())))
	if err != nil || h.Broken > 0 {
		t.Fatalf("%v, %d broken", err, h.Broken)
	}
	return h.Messages
}

const whole = `
	client {"jsonrpc":"2.0","id":"a","method":"initialize","params":{}}
	agent {"jsonrpc":"2.0","id":"a","result":{"protocolVersion":1}}
	client {"jsonrpc":"2.0","id":"b","method":"session/new","params":{}}
	agent {"jsonrpc":"2.0","id":"b","result":{"sessionId":"s"}}
	agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","n":1}}
	client {"jsonrpc":"2.0","id":"c","method":"session/prompt","params":{"sessionId":"s"}}
	agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","n":2}}
	agent {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s"}}
	agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","n":3}}
	client {"jsonrpc":"2.0","id":0,"result":{"outcome":"yes"}}
	agent {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","n":4}}
	agent {"jsonrpc":"2.0","id":"c","result":{"stopReason":"end_turn"}}
	client {"jsonrpc":"2.0","id":"d","method":"session/prompt","params":{"sessionId":"s"}}
	client {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
	agent {"jsonrpc":"2.0","id":"d","result":{"stopReason":"cancelled"}}
`

// The client of a record is played to the agent of the same record. The agent sends the same
// messages as in the record.
func TestBothSidesOfARecordMeet(t *testing.T) {
	for _, o := range []Options{{}, {Original: true}} {
		t.Run(fmt.Sprintf("original %v", o.Original), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { bothSidesMeet(t, o) })
		})
	}
}

func bothSidesMeet(t *testing.T, o Options) {
	messages := conversation(t, whole)
	o.Note = func(s string) { t.Error(s) }
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	go func() {
		err := ServeAgent(agentIn, agentOut, messages, o)
		agentOut.CloseWithError(err)
	}()
	var now [][]byte
	done, err := PlayClient(toAgent, fromAgent, messages, o, func(_ []byte, then [][]byte) { now = append(now, then...) })
	if err != nil {
		t.Fatal(err)
	}
	toAgent.Close()
	<-done
	var then [][]byte
	for _, m := range messages {
		if m.Message.Dir == record.Agent {
			then = append(then, m.JSON)
		}
	}
	if diff := cmp.Diff(string(join(then)), string(join(now))); diff != "" {
		t.Errorf("the agent sent something else (-then +now):\n%s", diff)
	}
}

func join(lines [][]byte) (all []byte) {
	for _, l := range lines {
		all = append(append(all, l...), '\n')
	}
	return all
}

// serve sends input to the agent of a record, and returns the agent's output and notes.
func serve(t *testing.T, messages []*history.Message, input string) (out, notes string) {
	t.Helper()
	var mu sync.Mutex
	var b, n strings.Builder
	o := Options{Note: func(s string) {
		mu.Lock()
		defer mu.Unlock()
		n.WriteString(s + "\n")
	}}
	if err := ServeAgent(strings.NewReader(input), &b, messages, o); err != nil {
		t.Fatal(err)
	}
	return b.String(), n.String()
}

func TestAnAgentUsesTheClientsIdsAndSessions(t *testing.T) {
	messages := conversation(t, `
		client {"id":7,"method":"session/load","params":{"sessionId":"then"}}
		agent {"method":"session/update","params":{"sessionId":"then"}}
		agent {"id":7,"result":{}}
		agent {"method":"session/update","params":{"sessionId":"then","n":2}}
	`)
	got, _ := serve(t, messages, `{"id":"x","method":"session/load","params":{"sessionId":"now"}}`)
	const want = `{"method":"session/update","params":{"sessionId":"now"}}
{"id":"x","result":{}}
{"method":"session/update","params":{"sessionId":"now","n":2}}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnAgentRefusesRequestsThatAreNotInTheRecord(t *testing.T) {
	messages := conversation(t, `
		client {"id":0,"method":"once","params":{}}
		agent {"id":0,"result":1}
		client {"id":1,"method":"never answered","params":{}}
	`)
	for _, tt := range []struct{ input, want string }{
		{`{"id":5,"method":"other"}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"the record has no request \"other\""}}` + "\n"},
		{`{"id":5,"method":"never answered"}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32603,"message":"the record has no response to this request"}}` + "\n"},
	} {
		got, notes := serve(t, messages, tt.input)
		if diff := cmp.Diff(tt.want, got); diff != "" || notes == "" {
			t.Errorf("notes %q, %s", notes, diff)
		}
	}
	got, _ := serve(t, messages, `{"id":5,"method":"once"}`+"\n"+`{"id":6,"method":"once"}`)
	if !strings.Contains(got, `{"id":5,"result":1}`) || !strings.Contains(got, `"id":6,"error":{"code":-32603,"message":"the record has no further request \"once\""}`) {
		t.Errorf("got %s", got)
	}
}

// The record has another request between a request and its response. Today's client does not send
// it.
func TestResponsesAreFoundWithoutTheRequestsBetween(t *testing.T) {
	messages := conversation(t, `
		client {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
		client {"id":1,"method":"session/set_mode","params":{"sessionId":"s"}}
		agent {"id":1,"result":{}}
		agent {"method":"session/update","params":{"sessionId":"s"}}
		agent {"id":0,"result":{"stopReason":"end_turn"}}
	`)
	got, _ := serve(t, messages, `{"id":0,"method":"session/prompt","params":{"sessionId":"s"}}`)
	const want = `{"method":"session/update","params":{"sessionId":"s"}}
{"id":0,"result":{"stopReason":"end_turn"}}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The client responds late.
func TestAnAgentWaitsForResponses(t *testing.T) {
	messages := conversation(t, `
		client {"id":0,"method":"session/prompt","params":{"sessionId":"s"}}
		agent {"id":9,"method":"session/request_permission","params":{"sessionId":"s"}}
		client {"id":9,"result":{}}
		agent {"id":0,"result":{"stopReason":"end_turn"}}
	`)
	agentIn, toAgent := io.Pipe()
	fromAgent, agentOut := io.Pipe()
	go func() { agentOut.CloseWithError(ServeAgent(agentIn, agentOut, messages, Options{})) }()
	got := make(chan string, 10)
	go func() {
		defer close(got)
		for lines := bufio.NewScanner(fromAgent); lines.Scan(); {
			got <- lines.Text()
		}
	}()
	fmt.Fprintln(toAgent, `{"id":5,"method":"session/prompt","params":{"sessionId":"s"}}`)
	if line := <-got; !strings.Contains(line, "session/request_permission") {
		t.Fatalf("got %s", line)
	}
	select {
	case line := <-got:
		t.Fatalf("before it got its response, the agent sent %s", line)
	case <-time.After(20 * time.Millisecond):
	}
	fmt.Fprintln(toAgent, `{"id":9,"result":{}}`)
	if line := <-got; line != `{"id":5,"result":{"stopReason":"end_turn"}}` {
		t.Fatalf("got %s", line)
	}
	toAgent.Close()
	if line, more := <-got; more {
		t.Errorf("got %s", line)
	}
}

func TestAClientUsesTheAgentsSessions(t *testing.T) {
	messages := conversation(t, `
		client {"id":"n","method":"session/new","params":{}}
		agent {"id":"n","result":{"sessionId":"then"}}
		client {"id":"p","method":"session/prompt","params":{"sessionId":"then"}}
		agent {"id":"p","result":{}}
	`)
	fromAgent, agentOut := io.Pipe()
	agentIn, toAgent := io.Pipe()
	asked := make(chan string, 2)
	go func() {
		lines := bufio.NewScanner(agentIn)
		for _, answer := range []string{`{"id":0,"result":{"sessionId":"now"}}`, `{"method":"u","params":{"sessionId":"now"}}` + "\n" + `{"id":1,"result":{}}`} {
			lines.Scan()
			asked <- lines.Text()
			fmt.Fprintln(agentOut, answer)
		}
		agentOut.Close()
	}()
	var heard [][]byte
	done, err := PlayClient(toAgent, fromAgent, messages, Options{}, func(_ []byte, then [][]byte) { heard = append(heard, then...) })
	if err != nil {
		t.Fatal(err)
	}
	<-done
	if first, second := <-asked, <-asked; first != `{"id":0,"method":"session/new","params":{}}` || second != `{"id":1,"method":"session/prompt","params":{"sessionId":"now"}}` {
		t.Errorf("the agent got %s and %s", first, second)
	}
	const want = `{"id":"n","result":{"sessionId":"then"}}
{"method":"u","params":{"sessionId":"then"}}
{"id":"p","result":{}}
`
	if diff := cmp.Diff(want, string(join(heard))); diff != "" {
		t.Error(diff)
	}
}

func TestAClientDoesNotWaitForever(t *testing.T) {
	in, agentOut := io.Pipe()
	defer agentOut.Close()
	_, err := PlayClient(io.Discard, in, conversation(t, whole), Options{Wait: time.Millisecond}, func([]byte, [][]byte) {})
	if err == nil || err.Error() != `the agent did not respond to "initialize" within 1ms` {
		t.Errorf("got %v", err)
	}
}
