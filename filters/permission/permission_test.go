package permission

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/dispatch/dispatchtest"
	"acpshim/internal/chain/wire"
)

func TestMatches(t *testing.T) {
	for _, test := range []struct {
		rule Rule
		call string
		want bool
	}{
		{Rule{}, `{}`, true},
		{Rule{Kind: "read"}, `{"kind":"read"}`, true},
		{Rule{Kind: "read"}, `{"kind":"execute"}`, false},
		{Rule{Kind: "read"}, `{}`, false},
		{Rule{}, `{"kind":"switch_mode"}`, false},
		{Rule{Kind: "*"}, `{"kind":"switch_mode"}`, false},
		{Rule{Kind: "{read,switch_mode}"}, `{"kind":"switch_mode"}`, true},
		{Rule{Kind: "switch_mode", Answer: "allow_once"}, `{"kind":"switch_mode"}`, true},
		{Rule{Kind: "fetch"}, `{"kind":"fetch","toolCallId":"elicitation-7"}`, false},
		{Rule{Kind: "fetch"}, `{"kind":"fetch","toolCallId":"7-elicitation-7"}`, true},
		{Rule{Title: "*"}, `{"kind":"other","title":"Question from MCP server"}`, false},
		{Rule{Kind: "execute"}, `{"kind":"execute","title":"MCP tool call approval"}`, true},
		{Rule{Kind: "{read,search}", Title: "Read *"}, `{"kind":"search","title":"Read x"}`, true},
		{Rule{Kind: "{read,search}", Title: "Read *"}, `{"kind":"search","title":"Reads"}`, false},
		{Rule{Location: "/a/*"}, `{"locations":[]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b"},{"path":"/c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_always"}, `{"locations":[{"path":"/a/b"},{"path":7}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"kind":"read","locations":[{"path":"/a/b"},{"path":"/a/c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/../c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b\\..\\..\\c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"kind":"read","locations":[{"path":"/a/b..c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "reject_once"}, `{"locations":[{"path":"/a/../c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "reject_once"}, `{"locations":[{"path":"/a/b"},{"path":"/c"}]}`, true},
		{Rule{Location: "/a/*", Answer: Ask}, `{"locations":[{"path":"/c"}]}`, false},
	} {
		if u := test.rule.unmet(asked(t, conversation.New(conversation.Options{}), test.call)); (u.key == "") != test.want {
			t.Errorf("%+v and %s: %q is not met", test.rule, test.call, u.key)
		}
	}
}

// asked returns the call of a permission request in session "s".
func asked(t *testing.T, c *conversation.Conversation, request string) *call {
	t.Helper()
	o := parse(t, request)
	return callOf(c.CallOf("s", o), o)
}

func parse(t *testing.T, raw string) *wire.Object {
	t.Helper()
	o, err := wire.Parse([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A rule is about the call that the agent announced, merged with the request. What is not known of
// it allows nothing, and keeps later rules from allowing what an earlier one may be about.
func TestRulesAreAboutTheAnnouncedCall(t *testing.T) {
	all := Rule{Name: "all", Title: "*", Answer: "allow_once"}
	reject := func(r Rule) Rule { r.Name, r.Answer = "no", "reject_once"; return r }
	kind, title, location := reject(Rule{Kind: "execute"}), reject(Rule{Title: "rm *"}), reject(Rule{Location: "/etc/*"})
	const lost = "lost"
	for _, test := range []struct {
		name, announced, request string
		rules                    []Rule
		want                     string
	}{
		{"a plan that was announced", `{"kind":"switch_mode"}`, `{"title":"Do it?"}`, []Rule{all}, ""},
		{"its own kind", `{"kind":"switch_mode"}`, `{"kind":"read"}`, []Rule{all}, "all"},
		{"null is no change", `{"kind":"switch_mode"}`, `{"kind":null}`, []Rule{all}, ""},
		{"a kind that is no text", `{"kind":"read"}`, `{"kind":7}`, []Rule{all}, ""},
		{"no kind anywhere", ``, `{"title":"T"}`, []Rule{all}, ""},
		{"announced without a kind, so other", `{"title":"T"}`, `{}`, []Rule{all}, "all"},
		{"an announced command", `{"kind":"execute"}`, `{}`, []Rule{kind, all}, "no"},
		{"an announced title", `{"kind":"execute","title":"rm x"}`, `{}`, []Rule{title, all}, "no"},
		{"an announced location", `{"kind":"edit","locations":[{"path":"/etc/x"}]}`, `{}`, []Rule{location, all}, "no"},
		{"none of these", `{"kind":"read","title":"T","locations":[{"path":"/w/x"}]}`, `{}`, []Rule{kind, title, location, all}, "all"},
		{"an unknown kind", lost, `{"title":"T"}`, []Rule{all}, ""},
		{"an unknown title", lost, `{"kind":"read"}`, []Rule{title, all}, ""},
		{"an unknown title, and all reads are allowed", lost, `{"kind":"read"}`, []Rule{{Kind: "read", Answer: "allow_once"}}, ""},
		{"unknown locations", lost, `{"kind":"read","title":"T"}`, []Rule{location, all}, ""},
		{"unknown locations that no rule names", lost, `{"kind":"read","title":"T"}`, []Rule{all}, "all"},
		{"an unknown call, and all are rejected", lost, `{}`, []Rule{all, reject(Rule{})}, "no"},
		{"an unknown kind, and one is rejected", lost, `{}`, []Rule{kind, reject(Rule{})}, ""},
		{"a subagent's form", ``, `{"toolCallId":"acpshim-subagent-1/elicitation-3","kind":"fetch","title":"T"}`, []Rule{all}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := conversation.New(conversation.Options{})
			switch test.announced {
			case "":
			case lost:
				c.LoseCall("s", "")
			default:
				o, err := wire.Parse([]byte(`{"toolCallId":"t",` + test.announced[1:]))
				if err != nil {
					t.Fatal(err)
				}
				c.NoteCall("s", o, true)
			}
			request := test.request
			if !strings.Contains(request, "toolCallId") {
				request = strings.Replace(`{"toolCallId":"t",`+request[1:], ",}", "}", 1)
			}
			var rules []*Rule
			for i := range test.rules {
				rules = append(rules, &test.rules[i])
			}
			got := ""
			if r := deciding(rules, asked(t, c, request)); r != nil {
				got = r.Name
			}
			if got != test.want {
				t.Errorf("%q decides, want %q", got, test.want)
			}
		})
	}
}

// An option is chosen by its kind, if it is the only one of that kind and no other option has its
// id.
func TestOption(t *testing.T) {
	for options, want := range map[string]string{
		`[{"optionId":"n","kind":"reject_once"},{"optionId":"y","kind":"allow_once"}]`:                                     `"y"`,
		`[{"optionId":"allow_once","kind":"reject_once"}]`:                                                                 ``,
		`[{"optionId":"a","kind":"allow_once"},{"optionId":"b","kind":"allow_once"}]`:                                      ``,
		`[{"optionId":"a","kind":"allow_once"},{"optionId":"b","kind":"allow_once"},{"optionId":"c","kind":"allow_once"}]`: ``,
		`[{"optionId":"y","kind":"reject_once"},{"optionId":"\u0079","kind":"allow_once"}]`:                                ``,
		`[{"optionId":"y","kind":"reject_once","kind":"ask"},{"optionId":"y","kind":"allow_once"}]`:                        ``,
		`[{"optionId":7,"kind":"allow_once"}]`:                                                                             ``,
		`[7,{"optionId":"y","kind":"allow_once"}]`:                                                                         ``,
		`[{"kind":"allow_once"}]`: ``,
		`[]`:                      ``,
		`7`:                       ``,
	} {
		r := Rule{Answer: "allow_once"}
		if got := string(r.option([]byte(options))); got != want {
			t.Errorf("of %s %s is chosen, want %s", options, got, want)
		}
	}
}

func TestRulesRespond(t *testing.T) {
	const line = `{"id":7,"method":"session/request_permission","params":{"toolCall":{"title":"T"},"options":[{"optionId":"n","kind":"reject_once"}]}}`
	const reply = `{"jsonrpc":"2.0","id":7,"result":{"outcome":{"outcome":"selected","optionId":"n"}}}` + "\n"
	for _, test := range []struct {
		client, line string
		version      int
		answered     bool
	}{
		{"a", line, 1, true},
		{"b", line, 1, false},
		{"a", line, 2, false},
		// A call that cannot be read could be any, and nothing is pending of a notification.
		{"a", `{"id":7,"method":"session/request_permission","params":{"options":[{"optionId":"n","kind":"reject_once"}]}}`, 1, false},
		{"a", line[:1] + line[len(`{"id":7,`):], 1, false},
	} {
		var replies, told []string
		c := conversation.New(conversation.Options{})
		a := New(Options{Conversation: c, Rules: []Rule{{Name: "r", Client: "a", Answer: "reject_once"}},
			Answered: func(rule, option, title string) { told = append(told, rule+" "+option+" "+title) },
		})
		d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
		fromClient, fromAgent := d.FromClient(), d.FromAgent()
		for _, client := range []string{"a", test.client} { // the last one counts
			wire.Apply(fromClient, nil, fmt.Appendf(nil, `{"id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":%q}}}`, client))
			wire.Apply(fromAgent, nil, fmt.Appendf(nil, `{"id":0,"result":{"protocolVersion":%d}}`, test.version))
		}
		out, _ := wire.Apply(fromAgent, nil, []byte(test.line))
		if reply := wire.DrainAll(fromClient); reply != nil {
			replies = append(replies, string(reply))
		}
		wantOut, wantReplies, wantTold := test.line, []string(nil), []string(nil)
		if test.answered {
			wantOut, wantReplies, wantTold = "", []string{reply}, []string{"r reject_once T"}
		}
		if string(out) != wantOut || !slices.Equal(replies, wantReplies) || !slices.Equal(told, wantTold) {
			t.Errorf("%+v: came as %s, answered %q, told %q", test, out, replies, told)
		}
	}
}

// awaiting is another adapter that wants the responses.
type awaiting struct{ dispatch.Base }

func (awaiting) Name() string { return "awaiting" }

func (awaiting) Wants() []dispatch.Want {
	return []dispatch.Want{{From: dispatch.Agent, Methods: []string{"session/request_permission"}, Holds: true}}
}

// The first matching rule decides. If no rule responds, the request goes to the client and stays
// pending.
func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	for _, test := range []struct {
		kind string
		want string
		by   []string
	}{
		{kind: "read", want: `"y"`, by: []string{"reads"}},
		{kind: "edit"},
		{kind: "execute", want: `"n"`, by: []string{"rest"}},
	} {
		c := conversation.New(conversation.Options{})
		a := New(Options{Conversation: c,
			Rules: []Rule{{Name: "reads", Kind: "read", Answer: "allow_once"}, {Name: "edits", Kind: "edit", Answer: Ask}, {Name: "rest", Answer: "reject_once"}},
		})
		b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a, awaiting{}}})
		if wants := a.Wants(); len(wants) > 0 {
			t.Errorf("lines are looked at for rules that do not apply yet: %v", wants)
		}
		b.Negotiate(1)
		fromClient, fromAgent := b.Client, b.Agent
		line := fmt.Sprintf(`{"id":7,"method":"session/request_permission","params":{"toolCall":{"kind":%q},"options":[{"optionId":"n","kind":"reject_once"},{"optionId":"y","kind":"allow_once"},{"optionId":"a","kind":"ask"}]}}`, test.kind)
		out, by := wire.Apply(fromAgent, nil, []byte(line))
		pendingBefore := c.Pending(dispatch.Agent, []byte("7")) != nil
		reply, told := fromClient.Drain(nil)
		if !pendingBefore || len(test.by) > 0 && !slices.Equal(told.Names(), test.by) {
			t.Errorf("%+v: it is pending before the response leaves: %v, which is by %s", test, pendingBefore, told.Names())
		}
		if got, _ := wire.Parse(reply, "result", "result.outcome"); string(got.Open("result").Open("outcome").Raw("optionId")) != test.want {
			t.Errorf("%+v: the reply is %s", test, reply)
		}
		if pending := c.Pending(dispatch.Agent, []byte("7")) != nil; !slices.Equal(by.Names(), test.by) || pending != (test.by == nil) || len(out) > 0 != (test.by == nil) {
			t.Errorf("%+v: it is pending: %v, and goes on as %s, by %s", test, pending, out, by.Names())
		}
	}
}

// If a request already has a response, or its sender does not read, a rule does not respond.
func TestRequestWithResponseIsLeftAlone(t *testing.T) {
	const line = `{"id":7,"method":"session/request_permission","params":{"toolCall":{},"options":[{"optionId":"n","kind":"reject_once"}]}}`
	told := 0
	c := conversation.New(conversation.Options{})
	a := New(Options{Conversation: c, Rules: []Rule{{Name: "r", Answer: "reject_once"}}, Answered: func(_, _, _ string) { told++ }})
	b := dispatchtest.New(c, dispatch.Options{Adapters: []dispatch.Adapter{&claiming{c: c}, a}}).Negotiate(1)
	b.Says(dispatch.Agent, line)
	if toClient, toAgent := b.Sent(); len(toClient)+len(toAgent) > 0 || told > 0 {
		t.Errorf("it goes on as %q, and gets the response %q", toClient, toAgent)
	}
}

// claiming responds to each permission request before other adapters.
type claiming struct {
	awaiting
	c *conversation.Conversation
}

func (a *claiming) Handle(m *dispatch.Message) {
	if r := a.c.Pending(dispatch.Agent, m.ID); r != nil { // it is also given initialize
		a.c.Take(r, conversation.Respond)
	}
}
