package wire

import (
	"strings"
	"testing"
)

func TestSpliceElements(t *testing.T) {
	const line = " [1 , {} ,3 ]\r\n"
	elements, err := Batch([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	for want, with := range map[string][]string{
		line:                 {"=", "=", "="},
		" [{} ,3 ]\r\n":      {"", "=", "="},
		" [1 ,3 ]\r\n":       {"=", "", "="},
		" [1 , {} ]\r\n":     {"=", "=", ""},
		" [3 ]\r\n":          {"", "", "="},
		" [1 ]\r\n":          {"=", "", ""},
		" [{} ]\r\n":         {"", "=", ""},
		"":                   {"", "", ""},
		" [1 , 7,8 ,3 ]\r\n": {"=", "7,8", "="},
	} {
		replace := make([][]byte, len(with))
		for i, w := range with {
			if w != "=" {
				replace[i] = []byte(w)
			}
		}
		if got := string(SpliceElements(nil, []byte(line), elements, replace)); got != want {
			t.Errorf("%q: got %q, want %q", with, got, want)
		}
	}
	if got := string(SpliceElements(nil, []byte("[ ]"), nil, nil)); got != "[ ]" {
		t.Errorf("of an array without elements: %q", got)
	}
}

// MapElements returns nil if f returns all elements unchanged.
func TestMapElements(t *testing.T) {
	for raw, want := range map[string]string{
		`[ "a" , "b"]`:          "",
		`[]`:                    "",
		`{"gone":1}`:            "",
		`[ "a" , "gone" ,"b" ]`: `[ "a" ,"b" ]`,
		`["gone", "gone"]`:      `[]`,
		`[ "x",1]`:              `[ "y",1]`,
	} {
		got := MapElements([]byte(raw), func(element []byte) []byte {
			if string(element) == `"gone"` {
				return nil
			}
			return []byte(strings.ReplaceAll(string(element), "x", "y"))
		})
		if string(got) != want || (got == nil) != (want == "") {
			t.Errorf("%s became %s, want %s", raw, got, want)
		}
	}
}
