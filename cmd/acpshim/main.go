// Command acpshim stands between an ACP client and an ACP agent that do not
// understand each other. "acpshim -h" says how; docs/design.md why.
package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns its exit status.
func Main() int {
	root := newRoot()
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], cobra.ShellCompRequestCmd) {
		unquoteUsage(root)
	}
	root.SetArgs(withUpdate(os.Args[1:]))
	return report(stderr(), root.Execute())
}
