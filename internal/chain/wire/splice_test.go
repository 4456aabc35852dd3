package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	set := []Setting{{"a", []byte(`{}`)}, {"b", []byte(`[1]`)}}
	for line, want := range map[string]string{
		`{"o":{}}`:                   `{"o":{"a":{},"b":[1]}}`,
		`{"o":{ }}`:                  `{"o":{"a":{},"b":[1] }}`,
		`{"o":{"x":1.0 }}`:           `{"o":{"x":1.0,"a":{},"b":[1] }}`,
		`{"o":{"a" : true , "x":1}}`: `{"o":{"a" : {} , "x":1,"b":[1]}}`,
		`{"o":{"b":null,"a":0}}`:     `{"o":{"b":[1],"a":{}}}`,
		`{"o":{"A":0}}`:              `{"o":{"A":0,"b":[1]}}`, // a beside A would be ambiguous
		"{ \"o\": {\"\\u0061\":7},\"z\":\"\xff\"}\r\n": "{ \"o\": {\"\\u0061\":{},\"b\":[1]},\"z\":\"\xff\"}\r\n",
	} {
		o, err := Parse([]byte(line), "o")
		if err != nil {
			t.Fatal(err)
		}
		if got := Splice(nil, []byte(line), o.Open("o").Set(set...)...); string(got) != want {
			t.Errorf("setting in %q gives %q, want %q", line, got, want)
		}
	}
}

func TestWith(t *testing.T) {
	for _, test := range []struct{ object, path, want string }{
		{"", "a", `{"a":1}`},
		{"null", "a.b", `{"a":{"b":1}}`},
		{`{ "a":0 }`, "a", `{ "a":1 }`},
		{`{ "a":{"c":[ ]} }`, "a.b", `{ "a":{"c":[ ],"b":1} }`},
		{`{"a":null}`, "a.b.c", `{"a":{"b":{"c":1}}}`},
		{`{"a":[]}`, "a.b", ""},
		{`{"a":{"b":1,"b":2}}`, "a.b", ""},
		{`true`, "a", ""},
	} {
		var object []byte
		if test.object != "" {
			object = []byte(test.object)
		}
		if got := With(object, strings.Split(test.path, "."), []byte("1")); string(got) != test.want || (got == nil) != (test.want == "") {
			t.Errorf("%s with %s is %s, want %s", test.object, test.path, got, test.want)
		}
	}
}

func TestEndLine(t *testing.T) {
	for lines, want := range map[string]string{"": "", "a": "a\n", "a\n": "a\n", "a\nb": "a\nb\n"} {
		if got := EndLine([]byte(lines)); string(got) != want {
			t.Errorf("%q ends as %q", lines, got)
		}
	}
}

// FuzzSplice: an edit changes nothing outside of its span, and valid JSON stays valid.
func FuzzSplice(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","params":{"update":{"sessionUpdate":"plan_update"},"x":1.0}}`+"\r\n"), "text")
	f.Add([]byte(`{"params":{"update":null}}`), "\n\xff")
	f.Add([]byte("\xef\xbb\xbf{\"params\":{\"a\":1}}"), "")
	f.Add([]byte(`{"params":{"updAte":null}}`), "text") // update beside it would be ambiguous
	f.Fuzz(func(t *testing.T, line []byte, text string) {
		o, err := Parse(line, "params")
		if err != nil || o.Open("params") == nil {
			return
		}
		params := o.Open("params")
		with := Quote(nil, text)
		got := Splice([]byte("before"), line, params.Set(Setting{"update", with})...)
		got, ok := bytes.CutPrefix(got, []byte("before"))
		if !ok {
			t.Fatal("dst was not kept")
		}
		if m := params.Get("update"); m != nil {
			if want := string(line[:m.Value.Start]) + string(with) + string(line[m.Value.End:]); string(got) != want {
				t.Fatalf("replacing: got %q, want %q", got, want)
			}
		} else if params.hasFold("update", nil) {
			if !bytes.Equal(got, line) {
				t.Fatalf("%q became ambiguous: %q", line, got)
			}
			return
		} else if n := len(got) - len(line); n <= 0 || !bytes.Equal(got[:params.Start+1], line[:params.Start+1]) || !bytes.HasSuffix(got, line[params.End-1:]) {
			t.Fatalf("inserting: got %q of %q", got, line)
		}
		// The decoder takes invalid UTF-8, which encoding/json replaces.
		if body := bytes.TrimPrefix(line, bom); json.Valid(body) && !json.Valid(bytes.TrimPrefix(got, bom)) {
			t.Fatalf("valid %q became invalid %q", line, got)
		}
		back, err := Parse(got, "params")
		if err != nil {
			t.Fatalf("%q became unreadable: %q: %v", line, got, err)
		}
		if raw := back.Open("params").Raw("update"); !bytes.Equal(raw, with) {
			t.Fatalf("reads back %q, want %q", raw, with)
		}
		if bytes.Count(got, []byte("\n")) != bytes.Count(line, []byte("\n")) {
			t.Fatalf("%q is not as many lines as %q", got, line)
		}
	})
}
