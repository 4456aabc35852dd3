package explain

import (
	"strings"
	"testing"

	"acpshim/filters/rule"
	"acpshim/internal/conversation"

	"github.com/google/go-cmp/cmp"
)

func TestLines(t *testing.T) {
	rules, problems := rule.Compile([]rule.Rule{
		{Name: "title", Set: []rule.Setting{{Pointer: "/params/title", Value: []byte(`"a"`)}}},
		{Name: "client's", From: rule.Client, Log: true},
	})
	if rules == nil {
		t.Fatal(problems)
	}
	var b strings.Builder
	known := rule.Known{From: rule.Agent}
	unknown := func(step rule.Step) string { return " (of " + step.Rule + ")" }
	unclear := Lines(&b, []byte("{\"method\":\"x\",\"params\":{\"title\":\"\x1b\"}}\n\nnpm warn\n"), rules, known, unknown)
	want := "from the agent: no clear message, it meets no rule\n"
	if !strings.Contains(b.String(), want) || unclear != 2 {
		t.Errorf("%d lines are unclear, want 2:\n%s", unclear, b.String())
	}
	b.Reset()
	unclear = Lines(&b, []byte(`{"method":"x","params":{"title":"b"}}`), rules, known, unknown)
	want = `from the agent: x
  title     matches: changes it
    /params/title: "b" becomes "a"
  client's  no: from (of client's)
- {"method":"x","params":{"title":"b"}}
+ {"method":"x","params":{"title":"a"}}

`
	if diff := cmp.Diff(want, b.String()); diff != "" || unclear != 0 {
		t.Errorf("%d lines are unclear (-want +got):\n%s", unclear, diff)
	}
}

func TestPeer(t *testing.T) {
	p, err := Peer("JetBrains IDE 2026.1.0", []string{"/fs/readTextFile", "/fs", "/terminal"})
	if err != nil || p.Implementation != (conversation.Implementation{Name: "JetBrains IDE", Version: "2026.1.0"}) || string(p.Capabilities) != `{"fs":{"readTextFile":true},"terminal":true}` {
		t.Errorf("%+v, %s, %v", p, p.Capabilities, err)
	}
	if p := Named("Visual Studio"); p.Name != "Visual Studio" || p.Version != "" {
		t.Errorf("%+v", p)
	}
	for _, pointer := range []string{"", "fs"} {
		if _, err := Peer("x", []string{pointer}); err == nil {
			t.Errorf("%q is a pointer to a capability", pointer)
		}
	}
}
