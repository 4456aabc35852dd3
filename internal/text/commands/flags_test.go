package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// What looks like a flag is one, or an error; what does not is left for others.
func TestReadFlags(t *testing.T) {
	for line, want := range map[string]string{
		"a dir:agent":        "[a dir:agent] follow=false rows=20 set=[]",
		"a -f -n 3 b":        "[a b] follow=true rows=3 set=[]",
		"-n3 --follow":       "[] follow=true rows=3 set=[]",
		"--rows=3 --set a=b": "[] follow=false rows=3 set=[a=b]",
		"-dir:agent -a.b":    "[-dir:agent -a.b] follow=false rows=20 set=[]",
		"-f -- -n -text":     "[] [-n -text] follow=true rows=20 set=[]",
		"-":                  "[-] follow=false rows=20 set=[]",
		"-n":                 "flag needs an argument: 'n' in -n",
		"-x":                 "unknown flag: -x (write -- before a text that begins with -)",
		"-text":              "unknown flag: -text (did you mean --set? write -- before a text that begins with -)",
		"-rows":              "unknown flag: -rows (did you mean --rows? write -- before a text that begins with -)",
		"-nosuch":            "unknown flag: -nosuch (write -- before a text that begins with -)",
		"--folow":            "unknown flag: --folow",
	} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.BoolP("follow", "f", false, "")
		flags.IntP("rows", "n", 20, "")
		flags.StringArray("set", nil, "")
		rest, after, err := ReadFlags(flags, strings.Fields(line))
		got := fmt.Sprint(rest)
		if after != nil {
			got += fmt.Sprint(" ", after)
		}
		flags.VisitAll(func(f *pflag.Flag) { got += " " + f.Name + "=" + f.Value.String() })
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
