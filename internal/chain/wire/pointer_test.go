package wire

import "testing"

// The cases of RFC 6901 section 5, and what can go wrong on the way.
func TestPointer(t *testing.T) {
	const rfc = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"\u0070":9}`
	for _, c := range []struct{ line, pointer, want string }{
		{rfc, "", rfc},
		{rfc, "/foo", `["bar","baz"]`},
		{rfc, "/foo/0", `"bar"`},
		{rfc, "/", "0"},
		{rfc, "/a~1b", "1"},
		{rfc, "/c%d", "2"},
		{rfc, "/e^f", "3"},
		{rfc, "/g|h", "4"},
		{rfc, `/i\j`, "5"},
		{rfc, `/k"l`, "6"},
		{rfc, "/ ", "7"},
		{rfc, "/m~0n", "8"},
		{rfc, "/p", "9"},
		{rfc, "/foo/2", ""},
		{rfc, "/foo/2/x", ""},
		{rfc, "/foo/1/x", ""},
		{rfc, "/foo/-", ""},
		{rfc, "/foo/00", ""},
		{rfc, "/foo/+1", ""},
		{rfc, "/FOO", ""},
		{rfc, "/a~1b/c", ""},
		{"\xef\xbb\xbf {\"a\": {\"b\" : [ 1, {\"c\": true} ]}}\n", "/a/b/1/c", "true"},
		{`{"a":{"b":1,"b":2}}`, "/a/b", ""},
		{`{"a":{"b":1,"B":2}}`, "/a/b", ""},
		{`{"a":{"b":1,"b":2}}`, "/a", `{"b":1,"b":2}`},
		{`{"~01":1}`, "/~001", "1"},
	} {
		p, err := ParsePointer(c.pointer)
		if err != nil {
			t.Errorf("%q: %v", c.pointer, err)
		}
		if got := p.Raw([]byte(c.line)); string(got) != c.want || (got == nil) != (c.want == "") {
			t.Errorf("%q in %q is %q, want %q", c.pointer, c.line, got, c.want)
		}
		if p.String() != c.pointer {
			t.Errorf("%q is written %q", c.pointer, p)
		}
	}
	for _, wrong := range []string{"a", "/~", "/~2", "/a~/b"} {
		if p, err := ParsePointer(wrong); err == nil {
			t.Errorf("%q is taken as %q", wrong, p)
		}
	}
}
