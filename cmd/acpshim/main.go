// Command acpshim translates between an ACP client and an ACP agent that do not understand each
// other. "acpshim -h" explains its use, and docs/contributing/design.md its design.
package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
)

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns its exit status.
func Main() int {
	args := withUpdate(os.Args[1:])
	var root *cobra.Command
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root = newRoot()
		unquoteUsage(root)
	} else {
		root = newRoot(args...)
	}
	root.SetArgs(args)
	return report(stderr(), root.Execute())
}
