package plans

import (
	"fmt"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/translate"
)

const sessionT = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w"}}`

func TestReasons(t *testing.T) {
	update := func(members string) string {
		return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{` + members + `}}}`
	}
	items := func(id, content string) string {
		return update(fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"items","id":%q,"entries":[{"content":%q,"status":"pending","priority":"medium"}]}`, id, content))
	}
	of := func(id, member string) string {
		return update(fmt.Sprintf(`"sessionUpdate":"plan_update","plan":{"type":"items","id":%q,%s}`, id, member))
	}
	document := update(`"sessionUpdate":"plan_update","plan":{"type":"markdown","id":"design","content":"- [ ] a\n"}`)
	prose := strings.Replace(document, `"content":"`, `"content":"Mind this.\n\n`, 1)
	file := update(`"sessionUpdate":"plan_update","plan":{"type":"file","id":"notes","uri":"file:///w/notes.md"}`)
	large := items("work", strings.Repeat("x", largePlan))
	for name, test := range map[string]struct {
		set   Settings
		lines []string
		want  string // of the last line, or of the pause after it if that is "pause"
	}{
		"shown":            {Settings{}, []string{items("work", "a")}, `"work" is shown, because plan.policy is "checklists"`},
		"by a profile":     {Settings{Policy: translate.All, PolicyBy: `profile "x"`}, []string{items("work", "a")}, `"work" is shown, because plan.policy is "all" (profile "x")`},
		"others are":       {Settings{}, []string{items("work", "a"), document}, `"work" is shown instead of "design", because plan.policy is "checklists"`},
		"merged":           {Settings{}, []string{items("work", "a"), items("work", "a")}, `this update changes nothing that the client sees`},
		"none is left":     {Settings{}, []string{items("work", "a"), update(`"sessionUpdate":"plan_removed","planId":"work"`)}, `no plan is left`},
		"the same text":    {Settings{}, []string{document, document}, `this update changes nothing that the client sees`},
		"held":             {Settings{ShowAs: AsMessage}, []string{items("work", "a")}, `acpshim shows the plan later as text, because plan.show_as is "message"`},
		"dropped":          {Settings{ShowAs: AsNothing, ShowAsBy: `profile "y"`}, []string{items("work", "a")}, `the plan is dropped, because plan.show_as is "none" (profile "y")`},
		"senseless":        {Settings{}, []string{update(`"sessionUpdate":"plan_update","plan":7`)}, "the plan is dropped, because clients would refuse it"},
		"a long id":        {Settings{}, []string{items(strings.Repeat("x", 49), "a")}, `"(a long id)" is shown, because plan.policy is "checklists"`},
		"an id that fits":  {Settings{}, []string{items(strings.Repeat("x", 48), "a")}, `"` + strings.Repeat("x", 48) + `" is shown, because plan.policy is "checklists"`},
		"a question":       {Settings{ShowAs: AsMessage}, []string{items("work", "a"), `{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"s"}}`}, "acpshim held the text until the agent's next question"},
		"others are not":   {Settings{}, []string{document, items("work", "b")}, `"work" is shown instead of "design", because plan.policy is "checklists"`},
		"its text is":      {Settings{Prose: true}, []string{items("work", "a"), prose}, `"work" is shown instead of "design", because plan.policy is "checklists"; its text follows before the next question or at the end of the turn`},
		"three":            {Settings{Policy: translate.All}, []string{items("1", "a"), items("2", "a"), items("3", "a")}, `"1", "2", "3" are shown, because plan.policy is "all"`},
		"four":             {Settings{Policy: translate.All}, []string{items("1", "a"), items("2", "a"), items("3", "a"), items("4", "a")}, `"1", "2", "3", 1 more are shown, because plan.policy is "all"`},
		"a slow file":      {Settings{}, []string{file}, `acpshim holds the plan until its file is read`},
		"large":            {Settings{}, []string{large}, "the plan is large, so acpshim shows it once for several updates"},
		"a pause":          {Settings{}, []string{large, "pause"}, "acpshim held the plan until no more updates came"},
		"an early one":     {Settings{}, []string{sessionT, strings.Replace(items("work", "a"), `"s"`, `"t"`, 1)}, "acpshim holds the plan until the client knows the session"},
		"an opened one":    {Settings{}, []string{sessionT, strings.Replace(items("work", "a"), `"s"`, `"t"`, 1), result(1, `{"sessionId":"t"}`)}, "acpshim held the plan until the session was open"},
		"repeated":         {Settings{Tools: shipped()}, []string{todowrite("s", "c", "a"), planLine("s", "a")}, "the client already got this plan in this turn"},
		"nothing new":      {Settings{}, []string{planLine("s", "")}, `"plan" is empty, which changes nothing that the client sees`},
		"an empty list":    {Settings{}, []string{items("work", "a"), of("docs", `"entries":[]`)}, `"docs" is empty, which changes nothing that the client sees`},
		"an empty text":    {Settings{}, []string{update(`"sessionUpdate":"plan_update","plan":{"type":"markdown","id":"docs","content":"","entries":[7]}`)}, `"docs" is empty, which changes nothing that the client sees`},
		"no valid entry":   {Settings{}, []string{items("work", "a"), of("docs", `"entries":[7,{"content":""}]`)}, `"docs" has no valid entry, so there is nothing to show`},
		"the same, legacy": {Settings{}, []string{update(`"sessionUpdate":"plan","entries":[{"text":"a"}]`)}, `"plan" has no valid entry, so there is nothing to show`},
		"no list":          {Settings{}, []string{of("docs", `"entries":{"a":1}`)}, `the entries of "docs" are not a list, so there is nothing to show`},
		"no legacy list":   {Settings{}, []string{update(`"sessionUpdate":"plan","entries":"a"`)}, `the entries of "plan" are not a list, so there is nothing to show`},
		"null":             {Settings{}, []string{of("docs", `"entries":null`)}, `"docs" is empty, which changes nothing that the client sees`},
		"no entries":       {Settings{}, []string{of("docs", `"title":"a"`)}, `"docs" is dropped, because it has no entries at all`},
		"a removed one":    {Settings{}, []string{items("work", "a"), document, update(`"sessionUpdate":"plan_removed","planId":"design"`)}, `"design" is removed, which changes nothing that the client sees`},
		"a todo tool":      {Settings{Tools: shipped()}, []string{todowrite("s", "c", "a")}, "acpshim made this plan from a todo tool's call (plan.tools)"},
		"end of the turn":  {Settings{ShowAs: AsMessage}, []string{items("work", "a"), `{"jsonrpc":"2.0","id":"p","result":{"stopReason":"end_turn"}}`}, "acpshim held the text until the end of the turn"},
	} {
		t.Run(name, func(t *testing.T) {
			c := conversation.New(conversation.Options{})
			a := New(c, Options{
				For:      func(_, _ conversation.Implementation) Settings { return test.set },
				ReadFile: func(string, []string) (string, error) { return "", ErrLater },
			})
			d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
			for _, line := range []string{
				`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}`,
				`{"jsonrpc":"2.0","id":"n","method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`,
			} {
				wire.Apply(d.FromClient(), nil, []byte(line+"\n"))
			}
			wire.Apply(d.FromAgent(), nil, []byte(`{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":1}}`+"\n"))
			wire.Apply(d.FromAgent(), nil, []byte(`{"jsonrpc":"2.0","id":"n","result":{"sessionId":"s"}}`+"\n"))
			wire.Apply(d.FromClient(), nil, []byte(`{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`+"\n"))
			var got []string
			for i, line := range test.lines {
				var by wire.Change
				switch line {
				case sessionT:
					_, by = wire.Apply(d.FromClient(), nil, []byte(line+"\n"))
				case "pause":
					_, by = d.FromAgent().Flush(nil, false)
				default:
					_, by = wire.Apply(d.FromAgent(), nil, []byte(line+"\n"))
				}
				for _, added := range by.Added {
					by.By = append(by.By, added.By...)
				}
				for _, cause := range by.By {
					if i == len(test.lines)-1 {
						got = append(got, cause.Why.String())
						if !strings.HasPrefix(cause.Why.Code, "plans.") || strings.Count(cause.Why.Text, "%s") != len(cause.Why.Values) {
							t.Errorf("%+v has no code, or its text has no place for each value", cause.Why)
						}
					}
				}
			}
			if strings.Join(got, " | ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestReasonsForACapableClient(t *testing.T) {
	agent := capable(options{Settings: settings{Tools: shipped()}}).FromAgent()
	for _, test := range []struct{ line, want string }{
		{todowrite("s", "c", "a"), "acpshim made this plan from a todo tool's call (plan.tools)"},
		{itemsUpdate("s", "p", "b"), "the agent sends plans itself, so the plan from its todo tool is removed"},
	} {
		if _, by := wire.Apply(agent, nil, []byte(test.line+"\n")); len(by.Added) != 1 || by.Added[0].By[0].Why.String() != test.want {
			t.Errorf("got %+v, want %q", by, test.want)
		}
	}
}

func TestReasonToAnnouncePlans(t *testing.T) {
	c := newRelay(options{Settings: settings{Advertise: true}})
	_, by := wire.Apply(c.FromClient(), nil, []byte(initialize+"\n"))
	if want := "acpshim announces plan updates and translates them for the client (plan.advertise)"; len(by.By) != 1 || by.By[0].Why.String() != want {
		t.Errorf("got %+v, want %q", by, want)
	}
}
