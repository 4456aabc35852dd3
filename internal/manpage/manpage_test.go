package manpage

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestPages(t *testing.T) {
	root := &cobra.Command{Use: "prog [flags] FILE"}
	root.Flags().StringP("out", "o", "a.txt", "write `FILE`, not a.txt")
	list := &cobra.Command{Use: "list [-x]", Run: func(*cobra.Command, []string) {}, Long: "List it. Twice.\n\n.dots and 'quotes' \\ stay:\n  $ prog list\n  a"}
	group := &cobra.Command{Use: "log COMMAND", Long: "Read the log:\n  prog log list   list it,\n                  whole\n  prog log cat    print it"}
	group.AddCommand(list)
	root.AddCommand(group, &cobra.Command{Use: "secret", Hidden: true})
	pages := Pages(root, "Prog does it: well.\n\nUsage:\n  prog FILE   do it\n\nFlags, before FILE:\n%s\nThat is all.\n")
	want := map[string]string{
		"prog.1": `.TH PROG 1 "" ""
.SH "NAME"
prog \- prog does it
.SH "SYNOPSIS"
.TP
\fBprog FILE\fR
do it
.SH "DESCRIPTION"
Prog does it: well.
.SH "OPTIONS"
Flags, before FILE.
.TP
\fB\-o\fR, \fB\-\-out\fR \fIFILE\fR
write FILE, not a.txt (default a.txt)
.SH "NOTES"
That is all.
.SH "SEE ALSO"
\fBprog\-log\fR(1)
`,
		"prog-log.1": `.TH PROG\-LOG 1 "" ""
.SH "NAME"
prog\-log \- read the log
.SH "SYNOPSIS"
\fBprog log\fR COMMAND
.SH "DESCRIPTION"
Read the log:
.TP
\fBprog log list\fR
list it, whole
.TP
\fBprog log cat\fR
print it
.SH "OPTIONS"
.SH "COMMANDS"
.SS "prog log list"
\fBprog log list\fR [\-x]
.PP
List it. Twice.
.PP
\&.dots and \(aqquotes\(aq \e stay:
.PP
.nf
  $ prog list
  a
.fi
.SH "SEE ALSO"
\fBprog\fR(1)
`,
	}
	if len(pages) != len(want) {
		t.Errorf("%d pages, want %d", len(pages), len(want))
	}
	for name, text := range want {
		_, got, _ := strings.Cut(string(pages[name]), "\n") // without the comment
		if got != text {
			t.Errorf("%s is\n%s", name, got)
		}
	}
}
