// Command acpshim stands between an ACP client and an ACP agent that do not
// understand each other. "acpshim -h" says how; docs/design.md why.
package main

import (
	"os"
)

func main() { os.Exit(Main()) }

// Main runs the command line of this process and returns its exit status.
func Main() int {
	root := newRoot()
	root.SetArgs(withUpdate(os.Args[1:]))
	return report(os.Stderr, root.Execute())
}
