package main

import (
	"bytes"
	"strings"
	"testing"

	"acpshim"
	"acpshim/filters"
	"acpshim/internal/config"
	"acpshim/proxy"

	"github.com/rs/zerolog"
)

// Behind a mistake of ours all passes as it is, but responses to acpshim's own requests.
func TestBehindAMistakeNoOwnResponseReachesTheAgent(t *testing.T) {
	a := assemble(config.Default(acpshim.DefaultConfig), names{}, zerolog.Nop())
	o := a.filterOptions()
	o.Events.Unread = func(error) { panic("a mistake") }
	a.conversation = filters.New(o)
	lines := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","method":"initialize"}`,
		`{"jsonrpc":"2.0","id":"` + a.live.Requests().Prefix + `1","result":{}}`,
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	}
	var out bytes.Buffer
	if err := proxy.Relay(&out, strings.NewReader(strings.Join(lines, "\n")+"\n"), a.options().FromClient, 1<<20); err != nil {
		t.Fatal(err)
	}
	if want := lines[0] + "\n" + lines[2] + "\n"; out.String() != want {
		t.Errorf("the agent gets %s, want %s", out.String(), want)
	}
}
