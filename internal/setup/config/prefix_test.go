package config

import (
	"strings"
	"testing"

	"acpshim/internal/adapters/paths"

	"github.com/google/go-cmp/cmp"
)

func TestPathRows(t *testing.T) {
	base := Default()
	base.Paths = []paths.Prefix{{Client: `C:\src`, Agent: "/old"}, {Client: `D:\`, Agent: "/mnt/d"}}
	got, err := Parse(base, "f", `
[[path]]
client = 'c:/SRC'
agent = "/mnt/c/src"

[[path]]
client = "C:\\src\\lib"
agent = "/lib"
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []paths.Prefix{{Client: `D:\`, Agent: "/mnt/d"}, {Client: "c:/SRC", Agent: "/mnt/c/src"}, {Client: `C:\src\lib`, Agent: "/lib"}}
	if diff := cmp.Diff(want, got.Paths); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if len(base.Paths) != 2 {
		t.Error("the base changed")
	}
	again, err := Parse(Default(), "shown", got.TOML())
	if diff := cmp.Diff(want, again.Paths); err != nil || diff != "" {
		t.Errorf("shown and read again: %v\n%s", err, diff)
	}
}

func TestWrongPathRows(t *testing.T) {
	for source, want := range map[string]string{
		"[[path]]\nclient = '/a'":                                                          "f:1:3: path: want agent, such as",
		"[[path]]\nagent = '/a'":                                                           "f:1:3: path: want client, such as",
		"[[path]]\nclient = 'a'\nagent = '/b'":                                             `f:2:10: path.client: "a" is relative: want an absolute folder`,
		"[[path]]\nclient = '/a/'\nagent = '/b'":                                           `f:2:10: path.client: "/a/": want no / at its end`,
		"[[path]]\nclient = 7\nagent = '/b'":                                               "f:2:10: path.client: want a folder in quotes, not 7",
		"[[path]]\nclient = '/a'\nagent = '/b'\n[[path]]\nclient = '/a'\nagent = '/c'":     `f:4:3: path: client "/a" is in an earlier [[path]], too`,
		"[[path]]\nclient = '/a'\nagent = '/b'\n[[path]]\nclient = '/c'\nagent = '/b'":     `f:4:3: path: agent "/b" is in an earlier [[path]], too, whose client is "/a"`,
		"[[path]]\nclient = '/a'\nagent = '/x/y'\n[[path]]\nclient = '/a/b'\nagent = '/x'": `f:4:3: path: overlaps with client = "/a", agent = "/x/y"`,
		"[[path]]\nclient = '/a'\nagent = '/b'\nagnet = '/c'":                              `did you mean "path.agent"?`,
		"[[profile]]\nagent = 'x'\npath = 1":                                               "does not belong in a profile",
	} {
		_, err := Parse(Default(), "f", source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}
