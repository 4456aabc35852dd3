package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const room = 1 << 10

// edited returns a line after an action.
func edited(s Selector, line []byte, action, value string) ([]byte, error) {
	switch action {
	case "set":
		return s.Set(line, []byte(value), room)
	case "delete":
		return s.Delete(line)
	case "rename":
		return s.Rename(line, value, room)
	}
	return s.Append(line, []byte(value), room)
}

func TestEdits(t *testing.T) {
	const line = "\xef\xbb\xbf { \"a\" : [ 1.0 , {\"b\":2} , \"x\" ] , \"m~n\":{\"o/p\":1E400},\"e\":[ ],\"o\":{ } }\r\n"
	for _, c := range []struct {
		action, pointer, value string
		old, new               string // the one change of the line
		want                   error
	}{
		{"set", "/a/1/b", "3", `{"b":2}`, `{"b":3}`, nil},
		{"set", "/a/0", "3", `1.0`, `3`, nil},
		{"set", "/a/3", "3", `"x" ]`, `"x",3 ]`, nil},
		{"set", "/a/-", "3", `"x" ]`, `"x",3 ]`, nil},
		{"set", "/a/4", "3", "", "", ErrNoValue},
		{"set", "/a/01", "3", "", "", ErrNoValue},
		{"set", "/e/0", "3", `[ ]`, `[3 ]`, nil},
		{"set", "/o/x~1y", "3", `{ } }`, `{"x/y":3 } }`, nil},
		{"set", "/m~0n/o~1p", "3", `1E400`, `3`, nil},
		{"set", "/new", "3", `{ } }`, `{ },"new":3 }`, nil},
		{"set", "/new/below", "3", "", "", ErrNoValue},
		{"set", "/a/0/below", "3", "", "", ErrNoValue},
		{"set", "/A", "3", "", "", ErrExists},
		{"set", "", "3", "", "", ErrNoValue},
		{"delete", "/a", "", `"a" : [ 1.0 , {"b":2} , "x" ] ,`, ``, nil},
		{"delete", "/a/0", "", `1.0 ,`, ``, nil},
		{"delete", "/a/1", "", `{"b":2} ,`, ``, nil},
		{"delete", "/a/2", "", ` , "x"`, ``, nil},
		{"delete", "/a/1/b", "", `"b":2`, ``, nil},
		{"delete", "/o", "", `,"o":{ }`, ``, nil},
		{"delete", "/a/3", "", "", "", ErrNoValue},
		{"delete", "/a/-", "", "", "", ErrNoValue},
		{"delete", "/x", "", "", "", ErrNoValue},
		{"delete", "", "", "", "", ErrNoValue},
		{"rename", "/a", "z\n", `"a"`, `"z\n"`, nil},
		{"rename", "/a", "A", `"a"`, `"A"`, nil},
		{"rename", "/a", "e", "", "", ErrExists},
		{"rename", "/a", "E", "", "", ErrExists},
		{"rename", "/a/0", "z", "", "", ErrNoValue},
		{"rename", "/x", "z", "", "", ErrNoValue},
		{"append", "/a", "3", `"x" ]`, `"x",3 ]`, nil},
		{"append", "/e", "3", `[ ]`, `[3 ]`, nil},
		{"append", "/o", "3", "", "", ErrNotArray},
		{"append", "/x", "3", "", "", ErrNoValue},
		{"append", "", "3", "", "", ErrNoValue},
	} {
		p, err := ParseSelector(c.pointer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := edited(p, []byte(line), c.action, c.value)
		if !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v, want %v", c.action, c.pointer, err, c.want)
			continue
		}
		if want := strings.Replace(line, c.old, c.new, 1); err == nil && string(got) != want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.action, c.pointer, got, want)
		}
	}
}

// Edits of several values treat commas and space like edits of one value.
func TestEditsOfSeveral(t *testing.T) {
	for _, c := range []struct {
		action, pointer, value string
		line, want             string
	}{
		{"set", "/*", "0", `[ 1 , {} ,"x"]`, `[ 0 , 0 ,0]`},
		{"set", "/*/n", "0", `[{"n":1},{ },7,{"m":1 },[1],{"a":{"n":1}}]`, `[{"n":0},{"n":0 },7,{"m":1,"n":0 },[1],{"a":{"n":1},"n":0}]`},
		{"set", "/[id=b]/n", `"B"`, `[{"id":"a","n":1},{"n":2,"id":"b"},{"id":"b"}]`, `[{"id":"a","n":1},{"n":"B","id":"b"},{"id":"b","n":"B"}]`},
		{"set", "/*/-", "0", `[[],[ 1 ],{}]`, `[[0],[ 1,0 ],{"-":0}]`},
		{"set", "/*/1", "0", `[[],[1],[1,2]]`, `[[],[1,0],[1,0]]`},
		{"set", "/l/*/[on=true]/x~1y", "0", `{"l":[[{"on":true}],[],[{"on":"true"},{"on":false}]]}`, `{"l":[[{"on":true,"x/y":0}],[],[{"on":"true","x/y":0},{"on":false}]]}`},
		{"delete", "/*", "", `[ 1 , 2 ,3 ]`, `[  ]`},
		{"delete", "/*", "", `[1]`, `[]`},
		{"delete", "/[x=1]", "", `[ {"x":1} , {"x":1} , 2 , {"x":1} , 3 , {"x":1} , {"x":1} ]`, `[  2 ,  3 ]`},
		{"delete", "/[x=1]", "", `[2,{"x":1},{"x":1}]`, `[2]`},
		{"delete", "/[x=1]", "", `[{"x":1},{"x":1},2]`, `[2]`},
		{"delete", "/[x=1]", "", `[2,{"x":1},{"x":1},3]`, `[2,3]`},
		{"delete", "/*/x", "", `[{"x":1},{"x":1,"y":2},{"y":2 , "x":1},{}]`, `[{},{"y":2},{"y":2},{}]`},
		{"delete", "/*/*", "", `[[1,2],[3],{"*":4},[]]`, `[[],[],{},[]]`},
		{"delete", "/*/x", "", `[{"y":1},{"x":1}]`, `[{"y":1},{}]`},
		{"delete", "/[x=1]", "", `[["x",1],["x","1"],{"x":1}]`, `[["x",1],["x","1"]]`},
		{"rename", "/*/a", "b", `[[1],{"a":1}]`, `[[1],{"b":1}]`},
		{"rename", "/*/a", "b", `[{"a":1},{"c":2},{"\u0061":3}]`, `[{"b":1},{"c":2},{"b":3}]`},
		{"set", "/*/a", "0", `[{"\\u0061":1},{"\u0061":1},{"a":1},{"\u0061":1}]`, `[{"\\u0061":1,"a":0},{"\u0061":0},{"a":0},{"\u0061":0}]`},
		{"append", "/*/l", "0", `[{"l":[]},{},{"l":[ 1 ]}]`, `[{"l":[0]},{},{"l":[ 1,0 ]}]`},
		{"append", "/*", "0", `[[],[[1]]]`, `[[0],[[1],0]]`},
		// In an object every step is a name.
		{"set", "/*", "0", `{"*":1,"a":2}`, `{"*":0,"a":2}`},
		{"set", "/[a=b]", "0", `{"a":"b"}`, `{"a":"b","[a=b]":0}`},
		{"delete", "/~2x]", "", `{"[x]":1,"a":2}`, `{"a":2}`},
		// A value is compared as it is meant.
		{"delete", "/[id=a~1b]", "", `[{"id":"a\/b"},{"id":"a\u002fb"},{"id":"ab"}]`, `[{"id":"ab"}]`},
		{"delete", "/[id=]", "", `[{"id":""},{"id":null},{},{"id":[]}]`, `[{"id":null},{},{"id":[]}]`},
		{"delete", "/[id=null]", "", `[{"id":"null"},{"id":null},{}]`, `[{}]`},
		{"delete", "/[n=1]", "", `[{"n":1},{"n":1.0},{"n":"1"}]`, `[{"n":1.0}]`},
		{"delete", "/[a={}]", "", `[{"a":{}},{"a":"{}"}]`, `[{"a":{}}]`},
		{"delete", "/[a=b=]]", "", `[{"a":"b=]"},{"a":"b"}]`, `[{"a":"b"}]`},
	} {
		s, err := ParseSelector(c.pointer)
		if err != nil {
			t.Fatal(err)
		}
		got, err := edited(s, []byte(c.line), c.action, c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s %s of %s:\n got %s, %v\nwant %s", c.action, c.pointer, c.line, got, err, c.want)
		}
		if s.String() != c.pointer {
			t.Errorf("%s is written %s", c.pointer, s)
		}
	}
}

// If an edit fails for one value, nothing is edited.
func TestEditsOfSeveralFail(t *testing.T) {
	for _, c := range []struct {
		action, pointer, value, line string
		want                         error
	}{
		{"set", "/*/a", "0", `[{"a":1},{"A":1}]`, ErrExists},
		{"set", "/*/a", "0", `[{"b":1},{"b":1,"B":2}]`, ErrAmbiguous},
		{"set", "/*/a", "0", `[{"b":1,"B":2},{"A":1}]`, ErrAmbiguous}, // the first one
		{"delete", "/[a=1]", "", `[{"a":1},{"a":1,"A":1}]`, ErrAmbiguous},
		{"rename", "/*/a", "b", `[{"a":1},{"a":1,"b":1}]`, ErrExists},
		{"append", "/*", "0", `[[],{}]`, ErrNotArray},
		{"append", "/*", "0", `{}`, ErrNoValue},
		{"delete", "/[a=2]", "", `[{"a":1},[],2]`, ErrNoValue},
		{"rename", "/*", "b", `[1]`, ErrNoValue},
		{"set", "/*", `"` + strings.Repeat("x", room/2) + `"`, `[{},{},{}]`, ErrLong},
		{"append", "/*", `"` + strings.Repeat("x", room/2) + `"`, `[[],[]]`, ErrLong},
		{"rename", "/*/a", strings.Repeat("x", room/2), `[{"a":1},{"a":1},{"a":1}]`, ErrLong},
	} {
		s, err := ParseSelector(c.pointer)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := edited(s, []byte(c.line), c.action, c.value); got != nil || !errors.Is(err, c.want) {
			t.Errorf("%s %s of %s: %s, %v, want %v", c.action, c.pointer, c.line, got, err, c.want)
		}
	}
}

func TestAmbiguousObjectsAreNotEdited(t *testing.T) {
	for _, line := range []string{`{"a":1,"\u0061":2,"b":3}`, `{"a":1,"A":2,"b":3}`} {
		for _, action := range []string{"set", "delete", "rename", "append"} {
			if _, err := edited(Selector{"b"}, []byte(line), action, "3"); !errors.Is(err, ErrAmbiguous) {
				t.Errorf("%s in %s: %v", action, line, err)
			}
		}
	}
}

// expand finds the values that a selector names with a decoded tree. It returns their pointers.
// Missing has the pointers of members and elements that can be added.
func expand(s Selector, value []byte) (there, missing []Pointer) {
	if len(s) == 0 {
		return []Pointer{{}}, nil
	}
	below := func(name string, value []byte) {
		t, m := expand(s[1:], value)
		for _, p := range t {
			there = append(there, append(Pointer{name}, p...))
		}
		for _, p := range m {
			missing = append(missing, append(Pointer{name}, p...))
		}
	}
	if elements, ok := Elements(value); ok {
		member, text, isChoice := choice(s[0])
		for i, element := range elements {
			name := strconv.Itoa(i)
			if isChoice {
				if o, err := Parse(element); err != nil || o.Get(member) == nil || !meant(o.Raw(member), text) {
					continue
				}
			} else if s[0] != "*" && s[0] != name {
				continue
			}
			below(name, element)
		}
		if n := strconv.Itoa(len(elements)); len(s) == 1 && (s[0] == "-" || s[0] == n) {
			missing = append(missing, Pointer{n})
		}
	} else if o, err := Parse(value); err == nil {
		if m := o.Get(s[0]); m != nil {
			below(s[0], value[m.Value.Start:m.Value.End])
		} else if len(s) == 1 {
			missing = append(missing, Pointer{s[0]})
		}
	}
	return there, missing
}

func meant(raw []byte, text string) bool {
	if got, ok := Text(raw); ok {
		return got == text
	}
	return raw[0] != '{' && raw[0] != '[' && string(raw) == text
}

// FuzzSelector: an edit returns one line of valid JSON, and changes exactly the values that expand
// finds.
func FuzzSelector(f *testing.F) {
	f.Add([]byte(`{"a":[1.0,{"b":2}],"m~n":{"o/p":1E400}}`+"\r\n"), "/a/1/b", "name")
	f.Add([]byte("\xef\xbb\xbf { \"a\" : [ ] , \"\\u0062\":{ } }"), "/a/-", "a")
	f.Add([]byte(`[{"a":"\ud800"},"\/",[[]]]`), "/2/0/0", "\n\xff")
	f.Add([]byte(`[ {"a":"x", "b":[1 ,2]} ,{"\u0061":"x"}, {"a":"y"},{"a":"x"} ]`), "/[a=x]/b/*", "a")
	f.Add([]byte(`[ {"a":"x", "b":[1 ,2]} ,{"\u0061":"x"}, {"a":"y"},{"a":"x"} ]`), "/[a=x]", "a")
	f.Add([]byte(`[[1,2,3],[ ],[{"*":4}],{"*":1}]`), "/*/*", "a")
	f.Fuzz(func(t *testing.T, line []byte, pointer, text string) {
		s, err := ParseSelector(pointer)
		body := bytes.TrimPrefix(line, bom)
		if err != nil || len(s) == 0 || !json.Valid(body) || !utf8.ValidString(pointer) {
			return
		}
		if again, err := ParseSelector(s.String()); err != nil || !slices.Equal(again, s) {
			t.Fatalf("%q is written %q, which is %q, %v", s, s.String(), again, err)
		}
		there, missing := expand(s, body)
		var found []string
		clear := true // nothing on the way is ambiguous
		for span, err := range s.Each(line) {
			clear = clear && err == nil
			if err == nil {
				found = append(found, string(line[span.Start:span.End]))
			}
		}
		var want []string
		for _, p := range there {
			want = append(want, string(p.Raw(body)))
		}
		if !slices.Equal(found, want) {
			t.Fatalf("%q in %q names %q, want %q", pointer, line, found, want)
		}
		value := Quote(nil, text)
		for _, action := range []string{"set", "delete", "rename", "append"} {
			argument := string(value)
			if action == "rename" {
				argument = text
			}
			got, err := edited(s, line, action, argument)
			if err != nil {
				continue
			}
			if !clear {
				t.Fatalf("%s %q of %q: %q although an object is ambiguous", action, pointer, line, got)
			}
			now := bytes.TrimPrefix(got, bom)
			if !json.Valid(now) || bytes.Count(got, []byte("\n")) > bytes.Count(line, []byte("\n")) {
				t.Fatalf("%s %q of %q gives %q", action, pointer, line, got)
			}
			// What is edited one by one, from last to first, is the same JSON.
			one := bytes.Clone(body)
			places := there
			if action == "set" {
				places = slices.Concat(there, missing)
			}
			for _, p := range slices.Backward(places) {
				next, err := edited(Selector(p), one, action, argument)
				if err == nil {
					one = next
				} else if !errors.Is(err, ErrNoValue) {
					t.Fatalf("%s %q of %q: %q, but %q: %v", action, pointer, line, got, p, err)
				}
			}
			if action == "delete" { // in what order decides which space goes
				one, now = compact(t, one), compact(t, now)
			}
			if !bytes.Equal(one, now) {
				t.Fatalf("%s %q of %q gives %q, one by one %q", action, pointer, line, got, one)
			}
			for _, p := range slices.Concat(there, missing) {
				if action == "set" && !bytes.Equal(p.Raw(now), value) {
					t.Fatalf("set %q of %q gives %q: %q is %q", pointer, line, got, p, p.Raw(now))
				}
			}
		}
	})
}

func compact(t *testing.T, line []byte) []byte {
	var b bytes.Buffer
	if err := json.Compact(&b, line); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
