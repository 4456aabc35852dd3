package permission

import (
	"testing"

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
		`[{"kind":"allow_once"}]`:                                                                                          ``,
		`[]`:                                                                                                               ``,
		`7`:                                                                                                                ``,
	} {
		r := Rule{Answer: "allow_once"}
		if got := string(r.option([]byte(options))); got != want {
			t.Errorf("of %s %s is chosen, want %s", options, got, want)
		}
	}
}
