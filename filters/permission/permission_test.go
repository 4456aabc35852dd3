package permission

import (
	"fmt"
	"slices"
	"testing"

	"acpshim/internal/conversation"
	"acpshim/internal/dispatch"
	"acpshim/internal/wire"
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
		{Rule{Kind: "{read,search}", Title: "Read *"}, `{"kind":"search","title":"Read x"}`, true},
		{Rule{Kind: "{read,search}", Title: "Read *"}, `{"kind":"search","title":"Reads"}`, false},
		{Rule{Location: "/a/*"}, `{"locations":[]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b"},{"path":"/c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_always"}, `{"locations":[{"path":"/a/b"},{"path":7}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b"},{"path":"/a/c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/../c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b\\..\\..\\c"}]}`, false},
		{Rule{Location: "/a/*", Answer: "allow_once"}, `{"locations":[{"path":"/a/b..c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "reject_once"}, `{"locations":[{"path":"/a/../c"}]}`, true},
		{Rule{Location: "/a/*", Answer: "reject_once"}, `{"locations":[{"path":"/a/b"},{"path":"/c"}]}`, true},
		{Rule{Location: "/a/*", Answer: Ask}, `{"locations":[{"path":"/c"}]}`, false},
	} {
		call, err := wire.Parse([]byte(test.call))
		if err != nil {
			t.Fatal(err)
		}
		if got := test.rule.matches(call); got != test.want {
			t.Errorf("%+v matches %s: %v", test.rule, test.call, got)
		}
	}
}

// An option is chosen by its kind, and only if it is the only one of that and of its id.
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

func TestRequestsAreAnswered(t *testing.T) {
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
			Reply: func(_ string, line []byte) bool {
				replies = append(replies, string(line))
				return true
			},
			Answered: func(rule, option, title string) { told = append(told, rule+" "+option+" "+title) },
		})
		d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a}})
		for _, client := range []string{"a", test.client} { // the last one counts
			wire.Apply(d.FromClient(), nil, fmt.Appendf(nil, `{"id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":%q}}}`, client))
			wire.Apply(d.FromAgent(), nil, fmt.Appendf(nil, `{"id":0,"result":{"protocolVersion":%d}}`, test.version))
		}
		out, _ := wire.Apply(d.FromAgent(), nil, []byte(test.line))
		wantOut, wantReplies, wantTold := test.line, []string(nil), []string(nil)
		if test.answered {
			wantOut, wantReplies, wantTold = "", []string{reply}, []string{"r reject_once T"}
		}
		if string(out) != wantOut || !slices.Equal(replies, wantReplies) || !slices.Equal(told, wantTold) {
			t.Errorf("%+v: came as %s, answered %q, told %q", test, out, replies, told)
		}
	}
}

// awaiting is another adapter, which requests are kept for.
type awaiting struct{ dispatch.Base }

func (awaiting) Name() string                      { return "awaiting" }
func (awaiting) Awaits(dispatch.Side, string) bool { return true }

// The first rule that matches decides. A request that is not answered goes to the client and stays
// pending; one that is answered is over.
func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	for _, test := range []struct {
		kind   string
		closed bool
		want   string
		by     []string
	}{
		{kind: "read", want: `"y"`, by: []string{"reads"}},
		{kind: "edit"},
		{kind: "execute", want: `"n"`, by: []string{"rest"}},
		{kind: "execute", want: `"n"`, closed: true}, // the reply cannot be written
	} {
		var reply []byte
		c := conversation.New(conversation.Options{})
		a := New(Options{Conversation: c,
			Rules: []Rule{{Name: "reads", Kind: "read", Answer: "allow_once"}, {Name: "edits", Kind: "edit", Answer: Ask}, {Name: "rest", Answer: "reject_once"}},
			Reply: func(_ string, line []byte) bool { reply = line; return !test.closed },
		})
		d := dispatch.New(c, dispatch.Options{Adapters: []dispatch.Adapter{a, awaiting{}}})
		if wants := a.Wants(); len(wants) > 0 {
			t.Errorf("lines are looked at for rules that do not apply yet: %v", wants)
		}
		wire.Apply(d.FromClient(), nil, []byte(`{"id":0,"method":"initialize","params":{"protocolVersion":1}}`))
		wire.Apply(d.FromAgent(), nil, []byte(`{"id":0,"result":{"protocolVersion":1}}`))
		line := fmt.Sprintf(`{"id":7,"method":"session/request_permission","params":{"toolCall":{"kind":%q},"options":[{"optionId":"n","kind":"reject_once"},{"optionId":"y","kind":"allow_once"},{"optionId":"a","kind":"ask"}]}}`, test.kind)
		out, by := wire.Apply(d.FromAgent(), nil, []byte(line))
		if got, _ := wire.Parse(reply, "result", "result.outcome"); string(got.Open("result").Open("outcome").Raw("optionId")) != test.want {
			t.Errorf("%+v: the reply is %s", test, reply)
		}
		if pending := c.Pending(dispatch.Agent, []byte("7")) != nil; !slices.Equal(by.Names(), test.by) || pending != (test.by == nil) || len(out) > 0 != (test.by == nil) {
			t.Errorf("%+v: it is pending: %v, and goes on as %s, by %s", test, pending, out, by.Names())
		}
	}
}
