package peer

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/wire"
	"acpshim/internal/record/store"
	"acpshim/internal/setup/config"
)

// shell starts an agent that is a script.
func shell(t *testing.T, script string, o Options) *Process {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	o.Command = []string{"sh", "-c", script}
	p, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop() })
	return p
}

// Numbers of messages are those that the record has, which also numbers lines of standard error.
func TestNumbersAreThoseOfTheRecord(t *testing.T) {
	c := config.Default()
	c.Record.Enabled, c.Record.Redact, c.Record.Folder = true, true, t.TempDir()
	p := shell(t, `read a; echo one >&2; sleep 0.1; echo '{"jsonrpc":"2.0","id":1,"method":"q"}'; read b; echo '{"jsonrpc":"2.0","id":0,"result":{"token":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}'; cat >/dev/null`,
		Options{Config: &c, Version: "v"})
	e, err := p.Ask(t.Context(), 5*time.Second, "m", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	p.Stop()
	files, err := store.Parts(p.Record())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var recorded, kept []string
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, `"kind":"message"`) {
			_, rest, _ := strings.Cut(line, `"seq":`)
			number, _, _ := strings.Cut(rest, ",")
			recorded = append(recorded, number)
		}
	}
	for _, m := range p.Messages() {
		kept = append(kept, strconv.FormatUint(m.Number, 10))
	}
	if len(kept) != 4 || !slices.Equal(recorded, kept) || slices.Equal(kept, []string{"1", "2", "3", "4"}) {
		t.Errorf("kept %q, recorded %q in\n%s", kept, recorded, text)
	}
	if !strings.Contains(string(e.Result()), "ghp_") || strings.Contains(string(text), "ghp_abc") {
		t.Errorf("the message has no secret, or the record has it:\n%s", text)
	}
	h := p.History()
	if len(h.Messages) != 4 || h.Messages[3].Request != h.Messages[0] || h.Messages[1].Message.Dir != wire.Agent {
		t.Errorf("the history has %d messages", len(h.Messages))
	}
}

// What an agent leaves is seen, and ended after that.
func TestChildrenAreSeen(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("children are not known on this system")
	}
	p := shell(t, `sleep 100 >/dev/null 2>&1 & cat >/dev/null`, Options{Linger: 200 * time.Millisecond})
	p.Stop()
	left, ok := p.Left()
	if !ok || len(left) != 1 || left[0].Name != "sleep" {
		t.Fatalf("left %v, %t", left, ok)
	}
	if p.EndedEarly() {
		t.Error("the agent ended early")
	}
	p = shell(t, `sleep 0.2 >/dev/null 2>&1 & cat >/dev/null`, Options{Linger: 5 * time.Second})
	if took := p.Stop(); took > 3*time.Second {
		t.Errorf("the end took %v", took)
	}
	if left, ok := p.Left(); !ok || len(left) != 0 {
		t.Errorf("left %v, %t", left, ok)
	}
}

// An agent that ends, and one that does not, can be told apart.
func TestEnds(t *testing.T) {
	p := shell(t, `read a; exit 3`, Options{})
	if _, err := p.Ask(t.Context(), 5*time.Second, "m", nil); err != ErrEnded {
		t.Errorf("error %v", err)
	}
	if !p.EndedEarly() || p.Ending().Code != 3 {
		t.Errorf("early %t, status %d", p.EndedEarly(), p.Ending().Code)
	}
	p = shell(t, `trap "" TERM; while :; do sleep 1; done`, Options{InputGrace: 100 * time.Millisecond, TermGrace: 100 * time.Millisecond})
	begun := time.Now()
	if took := p.Stop(); took < 200*time.Millisecond || time.Since(begun) > 3*time.Second {
		t.Errorf("the end took %v", took)
	}
	if _, err := Start(context.Background(), Options{Command: []string{"/none/none"}}); err != nil {
		t.Errorf("a program that does not exist: %v", err)
	}
}

// Requests of the agent get a response, also while others wait.
func TestRequestsGetResponses(t *testing.T) {
	script := `echo '{"jsonrpc":"2.0","id":"x","method":"fs/read_text_file"}'; read a; echo "$a"; cat >/dev/null`
	p := shell(t, script, Options{})
	m := p.Until(t.Context(), time.Now().Add(5*time.Second), 0, func(m *Message) bool { return m.From == wire.Agent && m.Error != nil })
	if m == nil || m.Code() != wire.MethodNotFound || string(m.ID) != `"x"` {
		t.Errorf("got %+v", m)
	}
}
