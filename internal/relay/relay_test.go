package relay

import (
	"bytes"
	"strings"
	"testing"

	"acpshim"
	"acpshim/internal/config"
	"acpshim/proxy"
)

// Behind a mistake of ours all passes as it is, but responses to acpshim's own requests.
func TestBehindAMistakeNoOwnResponseReachesTheAgent(t *testing.T) {
	o := Options{OwnID: "own-", Events: Events{Panicked: func(any, []byte) {}}}
	o.Events.Unread = func(error) { panic("a mistake") }
	r := New(config.Default(acpshim.DefaultConfig), o)
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","method":"initialize"}`,
		`{"jsonrpc":"2.0","id":"own-1","result":{}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, strings.NewReader(strings.Join(lines, "\n")+"\n"), r.Options().FromClient, 1<<20); err != nil {
		t.Fatal(err)
	}
	if want := lines[0] + "\n" + lines[2] + "\n"; out.String() != want {
		t.Errorf("the agent gets %s, want %s", out.String(), want)
	}
}
