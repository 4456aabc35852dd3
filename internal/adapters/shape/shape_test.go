package shape

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"acpshim/internal/chain/wire"
)

func TestKindsOfPermissionOptions(t *testing.T) {
	for _, test := range []struct{ options, want string }{ // kinds, separated by spaces
		{"allow_once allow_always reject_once reject_always", "allow_once allow_always reject_once reject_always"},
		{"allow allow_persistent AllowForSession deny", "allow_once allow_always allow_always reject_once"},
		{"Forever disallow", "Forever disallow"},
		{"Forever reject_once", "reject_once reject_once"},
		{"approve reject_always", "reject_always reject_always"},
		{"allow_never allow-none deny", "reject_once reject_once reject_once"},
		{"approve deny_always", "reject_always reject_always"},
		{"deny_always reject_forever rejectAlways deny_for_session deny", "reject_always reject_always reject_always reject_always reject_once"},
		{"yes - no", "yes  no"}, // one has none
	} {
		var list []string
		for i, kind := range strings.Fields(test.options) {
			option := map[string]any{"optionId": string(rune('a' + i)), "name": "N", "kind": kind}
			if kind == "-" {
				delete(option, "kind")
			}
			raw, _ := json.Marshal(option)
			list = append(list, string(raw))
		}
		raw := []byte("[" + strings.Join(list, ",") + "]")
		got := or(permissionOptions(raw), raw)
		var read []struct{ Kind string }
		json.Unmarshal(got, &read)
		var kinds []string
		for _, o := range read {
			kinds = append(kinds, o.Kind)
		}
		if have := strings.Join(kinds, " "); have != test.want {
			t.Errorf("%s become %s, want %s", test.options, have, test.want)
		}
	}
}

// The options get valid kinds and keep their ids. A word that does not begin with "allow" never
// becomes consent. Options with valid kinds and names do not change.
func FuzzPermissionOptions(f *testing.F) {
	f.Add([]byte(`[{"optionId":"f","name":"Forever","kind":"Forever"},{"optionId":"y","kind":"allow"}]`))
	f.Add([]byte(`[{"optionId":"f","name":"F","kind":"reject_once"}, 1, {"kind":null}]`))
	type option struct {
		OptionID json.RawMessage `json:"optionId"`
		Kind     any             `json:"kind"`
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var before, after []option
		if !json.Valid(raw) || json.Unmarshal(raw, &before) != nil {
			return
		}
		got := permissionOptions(raw)
		if got == nil {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil || len(after) != len(before) {
			t.Fatalf("%s becomes %s: %v", raw, got, err)
		}
		ids := func(of []option) (ids []string) {
			for _, o := range of {
				ids = append(ids, string(o.OptionID))
			}
			slices.Sort(ids)
			return ids
		}
		if !slices.Equal(ids(before), ids(after)) {
			t.Errorf("%s becomes %s", raw, got)
		}
		for i := range after {
			b := before[slices.IndexFunc(before, func(b option) bool { return bytes.Equal(b.OptionID, after[i].OptionID) })]
			if len(slices.Compact(ids(before))) < len(before) {
				break // which is which is not known
			}
			word, _ := b.Kind.(string)
			kind, _ := after[i].Kind.(string)
			if strings.HasPrefix(kind, "allow") && !strings.HasPrefix(strings.ToLower(word), "allow") {
				t.Errorf("%q becomes %q", word, kind)
			}
			if slices.Contains(kinds, word) && word != kind || after[i].OptionID != nil && !slices.Contains(kinds, kind) {
				t.Errorf("%s becomes %s", raw, got)
			}
		}
		if again := permissionOptions(got); again != nil {
			t.Errorf("%s is not done: it becomes %s", got, again)
		}
	})
}

// Messages with all required members do not change.
func TestCompleteMessagesStay(t *testing.T) {
	all := Settings{Kinds: true, Results: true, SessionID: true, Flatten: true}
	for name, got := range map[string][]byte{
		"sessions": elements([]byte(`[ {"sessionId":"a","cwd":"/","id":1,"updatedAt":"yesterday"}, {"sessionId":"b","cwd":"/","updatedAt":null} ]`), session),
		"commands": elements([]byte(`[{"name":"a","description":""}]`), command),
		"options":  configOptions([]byte(`[{"id":"a","name":"A","type":"select","currentValue":"x","options":[ {"value":"x","name":"X"} ]},{"id":"b","name":"B","type":"boolean","currentValue":true}]`), all),
		"groups":   configOptions([]byte(`[{"id":"a","name":"A","type":"select","currentValue":"x","options":[{"group":"g","name":"G","options":[{"value":"x","name":"X"}]}]}]`), Settings{Results: true}),
	} {
		if got != nil {
			t.Errorf("%s become %s", name, got)
		}
	}
}

// Numbers that are not dates of our time stay unchanged.
func TestDates(t *testing.T) {
	for raw, want := range map[string]string{
		`1790000000`: `"2026-09-21T14:13:20.000Z"`, `1790000000123`: `"2026-09-21T14:13:20.123Z"`, `1790000000.5`: `"2026-09-21T14:13:20.500Z"`,
		`0`: ``, `-1`: ``, `1e300`: ``, `{}`: ``, `253402300800000`: ``,
	} {
		o, err := wire.Parse([]byte(`{"updatedAt":` + raw + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(date("updatedAt")(o)); got != want {
			t.Errorf("%s is %s, want %s", raw, got, want)
		}
	}
}
