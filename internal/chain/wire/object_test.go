package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSpans(t *testing.T) {
	line := []byte("\xef\xbb\xbf {\"a\" : 1.0 ,\"p\":{ \"b\":\"x\\u0079\",\"q\":{\"c\":[1, 2]}}, \"d\":\"\xff\\ud800\"}\r\n")
	o, err := Parse(line, "p", "p.q")
	if err != nil {
		t.Fatal(err)
	}
	raw := func(b []byte) string { return string(b) }
	got := []string{raw(o.Raw("a")), raw(o.Open("p").Raw("b")), raw(o.Open("p").Open("q").Raw("c")), raw(o.Raw("p")), raw(line[o.Open("p").Start:o.Open("p").End]), raw(line[o.Start:o.End][:1])}
	want := []string{"1.0", `"x\u0079"`, "[1, 2]", `{ "b":"x\u0079","q":{"c":[1, 2]}}`, `{ "b":"x\u0079","q":{"c":[1, 2]}}`, "{"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if text, ok := o.Open("p").Text("b"); text != "xy" || !ok {
		t.Errorf("Text(b) = %q, %v", text, ok)
	}
	if text, _ := o.Text("d"); text != "\ufffd\ufffd" {
		t.Errorf("Text of broken Unicode = %q", text)
	}
	if _, ok := o.Text("a"); ok {
		t.Error("a number is no text")
	}
	if o.Get("none") != nil || o.Open("a") != nil || o.Open("none").Raw("x") != nil {
		t.Error("what is not there is not nil")
	}
}

func TestParseRefuses(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	for line, want := range map[string]error{
		"":                        ErrNotObject,
		" \n":                     ErrNotObject,
		"[{}]":                    ErrNotObject,
		"3":                       ErrNotObject,
		"npm WARN x":              ErrNotObject,
		`{} {}`:                   ErrTrailing,
		`{"a":1}x`:                ErrTrailing,
		`{"a":1,"a":2}`:           ErrAmbiguous,
		`{"a":1,"\u0061":2}`:      ErrAmbiguous,
		`{"method":1,"Method":2}`: ErrAmbiguous,
		`{"p":{"a":1,"A":2}}`:     ErrAmbiguous,
		`{"o":{"a":1,"a":2}}`:     nil, // not opened, not ours to judge
		`{"a":` + deep + `}`:      errAny,
		`{"a":1`:                  errAny,
		`{"a":01}`:                errAny,
		"{\"a\":\"\x01\"}":        errAny,
	} {
		_, err := Parse([]byte(line), "p")
		if want == errAny && (err == nil || errors.Is(err, ErrMany) || errors.Is(err, ErrTrailing)) || want != errAny && !errors.Is(err, want) {
			t.Errorf("Parse(%.40q) = %v, want %v", line, err, want)
		}
	}
	many := `{"x":0`
	for i := range 20 {
		many += `,"` + strings.Repeat("y", i+1) + `":0`
	}
	if _, err := Parse([]byte(many + `}`)); err != nil {
		t.Errorf("many members: %v", err)
	}
	if _, err := Parse([]byte(many + `,"X":0}`)); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("two of many members: %v", err)
	}
}

// An ambiguous object is returned with the error if it is the outermost one.
func TestAmbiguousObjects(t *testing.T) {
	o, err := Parse([]byte(`{"a":1,"A":2}`))
	if !errors.Is(err, ErrAmbiguous) || string(o.Raw("A")) != "2" {
		t.Errorf("outermost: %v, %v", o, err)
	}
	if o, err = Parse([]byte(`{"a":{"b":1,"b":2}}`), "a"); !errors.Is(err, ErrAmbiguous) || o != nil {
		t.Errorf("opened: %v, %v", o, err)
	}
	if o, err = Parse([]byte(`{"a":{"b":1,"b":2}}`)); err != nil || o == nil {
		t.Errorf("not opened: %v, %v", o, err)
	}
	if o, err = Parse([]byte(`{"a":1} 2`)); !errors.Is(err, ErrTrailing) || o != nil {
		t.Errorf("with something behind it: %v, %v", o, err)
	}
	if _, err := Batch([]byte(`[1] 2`)); !errors.Is(err, ErrTrailing) {
		t.Errorf("an array with something behind it: %v", err)
	}
	if _, err := Batch([]byte(`[1`)); err == nil || errors.Is(err, ErrTrailing) || errors.Is(err, ErrMany) {
		t.Errorf("an array without an end: %v", err)
	}
}

// true, null and strings are not capabilities.
func TestIsObject(t *testing.T) {
	for raw, want := range map[string]bool{`{}`: true, `{"a":1}`: true, "": false, "null": false, "true": false, `"{}"`: false, "[]": false} {
		if got := IsObject([]byte(raw)); got != want {
			t.Errorf("%q is an object: %v", raw, got)
		}
	}
}

// null counts as missing.
func TestIsAbsent(t *testing.T) {
	for raw, want := range map[string]bool{"null": true, "": false, "{}": false, `"null"`: false, "0": false} {
		if got := IsAbsent([]byte(raw)); got != want {
			t.Errorf("%q is absent: %v", raw, got)
		}
	}
	if !IsAbsent(nil) {
		t.Error("what is missing is not absent")
	}
}

// Exact accepts only valid Unicode.
func TestExact(t *testing.T) {
	for raw, want := range map[string]bool{`"a\u0062\n"`: true, `""`: true, `"\ud800"`: false, "\"\xff\"": false, "1": false, "": false, "null": false, `{"a":"b"}`: false} {
		if text, ok := Exact([]byte(raw)); ok != want || ok && text != strings.NewReplacer(`"`, "", `\u0062`, "b", `\n`, "\n").Replace(raw) {
			t.Errorf("%s: %q, %v", raw, text, ok)
		}
	}
}

// Info returns at most 256 bytes, and no part of a character.
func TestInfo(t *testing.T) {
	for text, want := range map[string]string{"a": "a", strings.Repeat("x", 300): strings.Repeat("x", 256), "x" + strings.Repeat("ü", 200): "x" + strings.Repeat("ü", 127)} {
		if o, err := Parse(fmt.Appendf(nil, `{"name":"%s"}`, text)); err != nil || o.Info("name") != want {
			t.Errorf("of %s is kept %s (%v)", text, o.Info("name"), err)
		}
	}
}

var errAny = errors.New("any error")

func TestElements(t *testing.T) {
	got, ok := Elements([]byte(`[ 1.0 , "a,b", {"c":[2]},[] ]`))
	var texts []string
	for _, e := range got {
		texts = append(texts, string(e))
	}
	if diff := cmp.Diff([]string{"1.0", `"a,b"`, `{"c":[2]}`, "[]"}, texts); diff != "" || !ok {
		t.Errorf("elements (-want +got), ok %v:\n%s", ok, diff)
	}
	for _, raw := range []string{"", "null", "{}", `"["`, "[1", "[1,", "[1]]", "[1] x"} {
		if _, ok := Elements([]byte(raw)); ok {
			t.Errorf("Elements(%q) is ok", raw)
		}
	}
}

func TestQuoteStaysOneLineOfValidJSON(t *testing.T) {
	for _, text := range []string{"", "a\nb\r\x00\x1f", "\b\f\t\x7f\u00ad", "\u2028<&>", "\xff\xed\xa0\x80", `"\`} {
		q := Quote(nil, text)
		var back string
		if err := json.Unmarshal(q, &back); err != nil || strings.ContainsAny(string(q), "\n\r") {
			t.Errorf("Quote(%q) = %q: %v", text, q, err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); back != want {
			t.Errorf("Quote(%q) reads back as %q", text, back)
		}
		if n := QuotedLen(text); n != len(q) {
			t.Errorf("QuotedLen(%q) = %d, want %d", text, n, len(q))
		}
	}
}

func TestID(t *testing.T) {
	same := [][]string{{"1", "1.0", "1e0", "10e-1"}, {"0", "-0", "0.0"}, {`"1"`, `"\u0031"`}, {`"a"`}, {"9", "9.0"}, {"-9007199254740991", "-9007199254740991.0"}, {"-9007199254740992"}, {"-9007199254740993"},
		{"9007199254740992.0"}, {"9007199254740993.0"}, {"12345678901234567890123"}, {"12345678901234567890124"}, {"1.5"}}
	for i, a := range same {
		for j, b := range same {
			for _, x := range a {
				for _, y := range b {
					if got := ID([]byte(x)) == ID([]byte(y)); got != (i == j) {
						t.Errorf("ID(%s) == ID(%s) is %v", x, y, got)
					}
				}
			}
		}
	}
	for _, none := range []string{"", "null", "true", "{}", "[]"} {
		if ID([]byte(none)) != "" {
			t.Errorf("ID(%q) is not empty", none)
		}
	}
}
