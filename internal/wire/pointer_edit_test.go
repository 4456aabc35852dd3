package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestPointerEdits(t *testing.T) {
	const line = "\xef\xbb\xbf { \"a\" : [ 1.0 , {\"b\":2} , \"x\" ] , \"m~n\":{\"o/p\":1E400},\"e\":[ ],\"o\":{ } }\r\n"
	edit := func(p Pointer, action string, value string) (Edit, error) {
		switch action {
		case "set":
			return p.Set([]byte(line), []byte(value))
		case "delete":
			return p.Delete([]byte(line))
		case "rename":
			return p.Rename([]byte(line), value)
		}
		return p.Append([]byte(line), []byte(value))
	}
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
	} {
		p, err := ParsePointer(c.pointer)
		if err != nil {
			t.Fatal(err)
		}
		e, err := edit(p, c.action, c.value)
		if !errors.Is(err, c.want) {
			t.Errorf("%s %s: %v, want %v", c.action, c.pointer, err, c.want)
			continue
		}
		want := strings.Replace(line, c.old, c.new, 1)
		if got := string(Splice(nil, []byte(line), e)); err == nil && got != want {
			t.Errorf("%s %s:\n got %q\nwant %q", c.action, c.pointer, got, want)
		}
	}
}

func TestAmbiguousObjectsAreNotEdited(t *testing.T) {
	for _, line := range []string{`{"a":1,"\u0061":2,"b":3}`, `{"a":1,"A":2,"b":3}`} {
		for name, edit := range map[string]func(Pointer) (Edit, error){
			"set":    func(p Pointer) (Edit, error) { return p.Set([]byte(line), []byte("3")) },
			"delete": func(p Pointer) (Edit, error) { return p.Delete([]byte(line)) },
			"rename": func(p Pointer) (Edit, error) { return p.Rename([]byte(line), "c") },
			"append": func(p Pointer) (Edit, error) { return p.Append([]byte(line), []byte("3")) },
		} {
			if _, err := edit(Pointer{"b"}); !errors.Is(err, ErrAmbiguous) {
				t.Errorf("%s in %s: %v", name, line, err)
			}
		}
	}
}

// FuzzPointerEdit: an edit leaves one line of valid JSON, changes one span, and
// what it was to do can be read back.
func FuzzPointerEdit(f *testing.F) {
	f.Add([]byte(`{"a":[1.0,{"b":2}],"m~n":{"o/p":1E400}}`+"\r\n"), "/a/1/b", "name")
	f.Add([]byte("\xef\xbb\xbf { \"a\" : [ ] , \"\\u0062\":{ } }"), "/a/-", "a")
	f.Add([]byte(`[{"a":"\ud800"},"\/",[[]]]`), "/2/0/0", "\n\xff")
	f.Fuzz(func(t *testing.T, line []byte, pointer, text string) {
		p, err := ParsePointer(pointer)
		valid := json.Valid(bytes.TrimPrefix(line, bom))
		if err != nil || len(p) == 0 || !valid {
			return
		}
		last, value := p[len(p)-1], Quote(nil, text)
		before, _ := p.Locate(line)
		check := func(name string, e Edit, err error) []byte {
			if err != nil {
				return nil
			}
			got := Splice(nil, line, e)
			if !json.Valid(bytes.TrimPrefix(got, bom)) || bytes.Count(got, []byte("\n")) > bytes.Count(line, []byte("\n")) {
				t.Fatalf("%s %q of %q gives %q", name, pointer, line, got)
			}
			return got
		}
		e, err := p.Set(line, value)
		if got := check("set", e, err); got != nil {
			if before != (Span{}) && e.Span != before {
				t.Fatalf("set %q of %q edits %v, not %v", pointer, line, e.Span, before)
			}
			if before == (Span{}) && e.Start != e.End {
				t.Fatalf("set %q of %q replaces %v", pointer, line, e.Span)
			}
			if raw := p.Raw(got); last != "-" && !bytes.Equal(raw, value) {
				t.Fatalf("set %q of %q reads back %q from %q", pointer, line, raw, got)
			}
		}
		e, err = p.Delete(line)
		if got := check("delete", e, err); got != nil {
			named := before
			parent, _ := p[:len(p)-1].Locate(line)
			if o, err := Parse(line[parent.Start:parent.End]); err == nil {
				named.Start = parent.Start + o.Get(last).Key.Start
			}
			around := string(line[e.Start:named.Start]) + string(line[named.End:e.End])
			if rest := strings.Trim(around, " \t\r\n"); rest != "" && rest != "," {
				t.Fatalf("delete %q of %q takes %q, too", pointer, line, around)
			}
			if _, err := p.Locate(got); container(p[:len(p)-1].Raw(line)) == '{' && !errors.Is(err, ErrNoValue) {
				t.Fatalf("delete %q of %q leaves %q: %v", pointer, line, got, err)
			}
		}
		e, err = p.Rename(line, text)
		if got := check("rename", e, err); got != nil {
			renamed := append(p[:len(p)-1:len(p)-1], strings.ToValidUTF8(text, "\ufffd"))
			if raw := renamed.Raw(got); !bytes.Equal(raw, line[before.Start:before.End]) {
				t.Fatalf("rename %q of %q to %q reads back %q", pointer, line, text, raw)
			}
		}
		e, err = p.Append(line, value)
		if got := check("append", e, err); got != nil {
			elements, _ := Elements(p.Raw(got))
			if n := len(elements); e.Start != e.End || n == 0 || !bytes.Equal(elements[n-1], value) {
				t.Fatalf("append to %q of %q gives %q", pointer, line, got)
			}
		}
	})
}
