package view

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"acpshim/internal/text/terminal"
)

func TestPretty(t *testing.T) {
	const message = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[` +
		`{"content":"Reproduce the bug","status":"pending"},{"content":"Patch it","status":"pending"},{"content":"c"},{"content":"d"},{"content":"e"}]}}}`
	for _, test := range []struct {
		raw            string
		columns, lines int
		want           string
		shortened      bool
	}{
		{`{"a":1,"b":[]}`, 80, 1, `{"a": 1, "b": []}`, false},
		{`"\u001b\n"`, 80, 1, `"\u001b\n"`, false},
		{`"a long text"`, 12, 5, `"a lo… 13 B"`, true},
		{message, 60, 22, `
{
  "jsonrpc": "2.0", "method": "session/update",
  "params": {
    "sessionId": "s",
    "update": {
      "sessionUpdate": "plan",
      "entries": [
        {
          "content": "Reproduce the bug",
          "status": "pending"
        },
        {"content": "Patch it", "status": "pending"},
        {"content": "c"}, {"content": "d"}, {"content": "e"}
      ]
    }
  }
}`, false},
		{message, 60, 14, `
{
  "jsonrpc": "2.0", "method": "session/update",
  "params": {
    "sessionId": "s",
    "update": {
      "sessionUpdate": "plan",
      "entries": [
        {"content": "Reproduce the bug", "status": "… 50 B},
        {"content": "Patch it", "status": "pending"},
        {"content": "c"}, {"content": "d"}, {"content": "e"}
      ]
    }
  }
}`, true},
		{message, 60, 13, `
{
  "jsonrpc": "2.0", "method": "session/update",
  "params": {
    "sessionId": "s",
    "update": {
      "sessionUpdate": "plan",
      "entries": [{"content": "Reproduce the bug", "… 142 B]
    }
  }
}`, true},
		{message, 60, 1, `{"jsonrpc": "2.0", "method": "session/update", "para… 257 B}`, true},
	} {
		drawn, shortened := pretty([]byte(test.raw), test.columns, test.lines)
		if got := strings.Join(drawn, "\n"); got != strings.TrimPrefix(test.want, "\n") || shortened != test.shortened {
			t.Errorf("in %d lines of %d columns: %v\n%s", test.lines, test.columns, shortened, got)
		}
	}
}

// The drawing fits, and if nothing is left out it is the same JSON.
func TestPrettyFits(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		raw, err := json.Marshal(anything(r, 4))
		if err != nil {
			t.Fatal(err)
		}
		columns, lines := 30+r.IntN(60), 1+r.IntN(30)
		drawn, shortened := pretty(raw, columns, lines)
		if len(drawn) > lines {
			t.Errorf("seed %d: %d lines of %d", seed, len(drawn), lines)
		}
		for _, line := range drawn {
			if terminal.Width(line) > columns {
				t.Errorf("seed %d: more than %d columns: %s", seed, columns, line)
			}
		}
		var was, is any
		json.Unmarshal(raw, &was)
		if err := json.Unmarshal([]byte(strings.Join(drawn, "\n")), &is); !shortened && (err != nil || !reflect.DeepEqual(was, is)) {
			t.Errorf("seed %d: %v\n%s\nis drawn as\n%s", seed, err, raw, strings.Join(drawn, "\n"))
		}
	}
}

func anything(r *rand.Rand, depth int) any {
	switch kind := r.IntN(6); {
	case depth > 0 && kind < 2:
		members := map[string]any{}
		for range r.IntN(8) {
			members[fmt.Sprint(r.IntN(1000))] = anything(r, depth-1)
		}
		return members
	case depth > 0 && kind < 4:
		list := []any{}
		for range r.IntN(12) {
			list = append(list, anything(r, depth-1))
		}
		return list
	case kind == 4:
		return strings.Repeat("日 ", r.IntN(20))
	}
	return r.IntN(1000)
}

// A long name is cut like a long text.
func TestALongNameIsCut(t *testing.T) {
	raw := `{"` + strings.Repeat("k", 1000) + `":{"a":"` + strings.Repeat("x", 100) + `"}}`
	drawn, shortened := pretty([]byte(raw), 80, 20)
	for _, line := range drawn {
		if terminal.Width(line) > 80 || !shortened {
			t.Errorf("%d columns, shortened %v: %.100s", terminal.Width(line), shortened, line)
		}
	}
}
