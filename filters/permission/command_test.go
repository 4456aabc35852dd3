package permission

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"acpshim/internal/chain/conversation"
	"acpshim/internal/dev/growth"
)

// decides returns what rules say of a call with this rawInput: "allow", "reject", or "" if the user
// is asked.
func decides(t *testing.T, rules []Rule, kind, rawInput string) string {
	t.Helper()
	var all []*Rule
	for i := range rules {
		all = append(all, &rules[i])
	}
	c := asked(t, conversation.New(conversation.Options{}), fmt.Sprintf(`{"toolCallId":"t","kind":%q,"title":"T","rawInput":%s}`, kind, rawInput))
	switch r := deciding(all, c); {
	case r == nil || r.Answer == Ask:
		return ""
	case r.Allows():
		return "allow"
	}
	return "reject"
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// An allow matches if each part does and nothing in the line can mean more than its words.
func TestAllowsOnlyPlainCommands(t *testing.T) {
	rules := []Rule{{Command: []string{"git status", "git status *", "git diff", "go test *", "cd *", "echo *", "ls", "ls *"}, Answer: "allow_once"}}
	allowed := []string{
		"git status", "  git   status\t-s ", "git status && git diff", "git status || git diff", "git status; git diff", "git status | echo x", "git status & git diff",
		"git status &", "git status;", "git status\ngit diff\n", "cd a/b && go test ./...", "go test -run=A,B ./x:y@1.2+z", "git status HEAD~1", "echo Ä 5%",
		"bash -lc 'git status'", `bash -c "git status && git diff"`, "/bin/zsh -lc 'git status'", "sh -c ls", "env bash -c ls", "busybox sh -c ls", "cd a && bash -c 'ls -l'",
		"bash --login -c ls", `bash -c "sh -c 'ls'"`,
	}
	for _, line := range allowed {
		if got := decides(t, rules, "execute", `{"command":`+quoted(line)+`}`); got != "allow" {
			t.Errorf("%q is not allowed", line)
		}
	}
	refused := []string{
		"", " ", "\n", "git", "git statusx", "git push", "Git status", "git status; rm -rf /", "git status;rm x", "rm x; git status", "git status && rm x", "git status || rm x", "git status | sh", "git status|rm",
		"git status & rm x", "git status\nrm x", "git status\r\nrm x", "git status\rrm x", "git status |& rm x", "git status `rm x`", "git status $(rm x)", "git status$(rm x)", `git status "$(rm x)"`,
		"git status <(rm x)", "git status >(rm x)", "git status > ~/.bashrc", "git status >> x", "git status 2>&1", "git status < x", "git status &> x", "git status <<< x", "git status << E\nx\nE",
		"git status ${x}", "git status $x", "git status $((1))", "$x", "${x} status", "git status \"a b\"", "git 'status'", `g"it" status`, `git\ status`, "git \\\nstatus", "g\\it status", "git status \\", `git status "`, "git status '",
		"(git status)", "{ git status; }", "! git status", "if git status; then ls; fi", "for i in a; do ls; done", "while ls; do ls; done", "until ls; do ls; done", "case x in y) ls;; esac", "time git status",
		"X=y git status", "PATH=/x git status", "X=y", "export X=y; git status", "declare X; ls", "ls() { rm x; }; ls", "function ls { rm x; }; ls", "coproc ls", "[[ -f x ]] && ls", "((1)) && ls", "let x=1; ls",
		"ls *", "ls ?", "ls [a]", "ls {a,b}", "ls # x", "# x", "ls !x", "ls ^x", "git status &&", "&& git status", "git status ;; ls", "| ls", "git status \x00rm", "git status \u2028rm x", "git status\u00a0", "ls “x”",
		"bash", "bash x.sh", "bash -c", "bash -lc 'git status; rm x'", "bash -c 'git status' x", "bash -c 'rm x'", "bash -c \"$(rm x)\"", "bash -s ls", "bash -o errexit -c ls", "bash --rcfile x -c ls", "bash -cx ls ls", "bash -c -l ls",
		"./bash -c ls", "/tmp/bash -c ls", "bin/bash -c ls", "X=y bash -c ls", "env X=y bash -c ls", "env -i bash -c ls", "env -S 'bash -c ls'", "/tmp/env bash -c ls", "busybox rm", "busybox sh x", "echo x | bash", "echo x | sh -s",
		"pwsh -c ls", "powershell -Command ls", "cmd /c ls", "cmd.exe /c ls", "fish -c ls", "bash -ic ls", "bash -i -c ls", "echo bash -c rm", "go test -exec bash -c x", "eval ls", "exec ls", "source x", ". x", "sudo ls",
		"bash -c \"bash -c \\\"rm x\\\"\"", "bash -c 'bash -c \"rm x\"'", strings.Repeat("ls;", maxLine), "ls " + strings.Repeat("x", maxLine), strings.Repeat("bash -c '", 3) + "ls",
	}
	for _, line := range refused {
		if got := decides(t, rules, "execute", `{"command":`+quoted(line)+`}`); got != "" {
			t.Errorf("%q is decided: %s", line, got)
		}
	}
}

// A command is a line or a list of words, wherever agents have it. All that is there has to match.
func TestWhereCommandsAre(t *testing.T) {
	rules := []Rule{{Command: []string{"git status", "git diff"}, Answer: "allow_once"}}
	for rawInput, want := range map[string]string{
		`{"command":["git","status"]}`: "allow", `{"command":"git","args":["status"]}`: "allow", `{"command":"git status","args":[]}`: "allow",
		`{"command":["bash","-lc","git status"]}`: "allow", `{"command":["/bin/bash","-lc","git status && git diff"],"cwd":"/w"}`: "allow",
		`{"cmd":"git status","shell":"/bin/zsh","login":true}`: "allow", `{"commands":["git status","git diff"]}`: "allow", `"git status"`: "allow", `["git","status"]`: "allow",
		`{"command":"git status","description":"look","env":{},"timeout":5}`: "allow", `{"command":"git status","cmd":"git diff"}`: "allow", `{"command":"\u0067it status"}`: "allow",

		`{}`: "", `null`: "", `7`: "", `{"command":null}`: "", `{"command":7}`: "", `{"command":{}}`: "", `{"command":[]}`: "", `{"command":["git",7]}`: "", `{"command":[["git","status"]]}`: "",
		`{"command":["git status"]}`: "", `{"command":["git","status;","rm"]}`: "", `{"command":["git","status","&&","rm","x"]}`: "", `{"command":["git","status",""]}`: "",
		`{"command":["git","status\nrm x"]}`: "", `{"command":["bash","-lc","git status","rm x"]}`: "", `{"command":["bash","-lc","git status; rm x"]}`: "", `{"command":["bash","git status"]}`: "",
		`{"command":["/w/bash","-c","git status"]}`: "", `{"command":["env","X=y","bash","-c","git status"]}`: "", `{"command":["pwsh","-c","git status"]}`: "",
		`{"command":"git","args":[],"arguments":["status"]}`: "allow", `{"command":"git status","args":[],"arguments":["--output=x"]}`: "", `{"command":"git","args":["status"],"arguments":["x"]}`: "",
		`{"command":"git status","args":["&&","rm"]}`: "", `{"command":"git status","args":"; rm x"}`: "", `{"command":"git","args":{"x":1}}`: "", `{"command":["git","status"],"args":["x"]}`: "",
		`{"command":"git status","cmd":"rm x"}`: "", `{"commands":["git status","rm x"]}`: "", `{"commands":[]}`: "", `{"commands":[{"command":"git status"}]}`: "", `{"command":"git status","commands":["rm x"]}`: "",
		`{"command":"git status","env":{"GIT_EXTERNAL_DIFF":"rm"}}`: "", `{"command":"git status","environment":["X=y"]}`: "", `{"command":"git status","shell":"/tmp/sh"}`: "", `{"command":"git status","shell":"python"}`: "",
		`{"command":"git status","command":"rm x"}`: "", `{"command":"rm x","command":"git status"}`: "", `["git status"]`: "", `{"input":{"command":"git status"}}`: "",
	} {
		if got := decides(t, rules, "execute", rawInput); got != want {
			t.Errorf("%s: %q, want %q", rawInput, got, want)
		}
	}
	if got := decides(t, rules, "other", `"git status"`); got != "" {
		t.Errorf("a text of the kind other is decided: %s", got)
	}
	for _, kind := range []string{"read", "edit", "think", "switch_mode", "fetch", "", "unknown"} {
		if got := decides(t, rules, kind, `{"command":"git status"}`); got != "" {
			t.Errorf("a call of the kind %q is decided: %s", kind, got)
		}
	}
}

// A rule that rejects matches if one part does, also in quotes and substitutions of what a shell
// runs. If a part may match, nobody but the user allows the call.
func TestRejectsByOnePart(t *testing.T) {
	rejects := Rule{Command: []string{"rm *", "git push*"}, Answer: "reject_once"}
	allows := Rule{Kind: "execute", Answer: "allow_once"}
	for _, test := range []struct{ want, lines string }{
		{"reject", "rm x\x01 rm  -rf  x\x01ls; rm x\x01ls && rm x\x01ls|rm x\x01ls & rm x\x01ls\nrm x\x01echo $(rm x)\x01echo \"$(rm x)\"\x01echo `rm x`\x01cat <(rm x)\x01(rm x)\x01{ rm x; }\x01! rm x\x01" +
			"if true; then rm x; fi\x01for i in a; do rm $i; done\x01X=y rm x\x01rm x > y\x01'rm' x\x01r\\m x\x01\"rm\" x\x01r'm' x\x01/bin/rm x\x01time rm x\x01sudo rm x\x01sudo -u me rm x\x01env X=y rm x\x01" +
			"xargs -0 rm x\x01timeout 5 rm x\x01find . -exec rm {} ;\x01bash -c 'rm x'\x01bash -lc \"ls; rm x\"\x01env X=y bash -c 'rm x'\x01eval 'rm x'\x01ls <<E\n$(rm x)\nE\x01f() { rm x; }; f\x01git push\x01git push -f\x01coproc rm x"},
		{"", "echo 'a; rm x'\x01git commit -m \"rm it\"\x01git commit -m \"x; rm x\"\x01$x y\x01${a}m x\x01$(echo rm) x\x01r* x\x01bash x\x01bash\x01. x.sh; $y\x01echo \"rm x\x01 rm' x\x01bash <<E\nrm x\nE\x01{a,b} x\x01ls $x\x01a=rm; $a x\x01ls *"},
		{"allow", "ls\x01git rm x\x01echo rm x\x01ls rm\x01rmdir x\x01python x.py\x01git status > x"},
	} {
		for line := range strings.SplitSeq(test.lines, "\x01") {
			raw := `{"command":` + quoted(line) + `}`
			for _, rules := range [][]Rule{{rejects, allows}, {allows, rejects}} {
				if got := decides(t, rules, "execute", raw); got != test.want {
					t.Errorf("%q: %q, want %q", line, got, test.want)
				}
			}
		}
	}
	for rawInput, want := range map[string]string{
		`{"command":["rm","x"]}`: "reject", `{"command":["bash","-lc","rm x"]}`: "reject", `{"command":["/bin/rm","x"]}`: "reject", `{"command":["ls",";","rm","x"]}`: "", `{"command":"rm","args":["x"]}`: "reject",
		`{"commands":["ls","rm x"]}`: "reject", `{"command":"ls","cmd":"rm x"}`: "reject", `{}`: "", `null`: "", `{"command":7}`: "", `{"command":["ls"]}`: "allow", `{"command":["git","commit","-m","a; b"]}`: "allow",
	} {
		if got := decides(t, []Rule{allows, rejects}, "execute", rawInput); got != want {
			t.Errorf("%s: %q, want %q", rawInput, got, want)
		}
	}
	// The line of a shell is a line, also without blanks.
	for _, rawInput := range []string{`{"command":["bash","-lc","$CMD"]}`, `{"command":["bash","-lc","rm${IFS}-rf${IFS}x"]}`, `{"command":["bash","-c","{rm,-rf,x}"]}`,
		`{"command":["bash","-c","` + "`cat f`" + `"]}`, `{"command":"bash -c 'rm$IFS-rf$IFS/x'"}`, `{"command":"eval 'r$@m' x"}`, `{"command":["env","-Srm x"]}`, `{"command":"env -Srm x"}`,
		`{"command":"sudo env -iS rm x"}`, `{"command":"env --split-string=rm x"}`, `{"command":["su","-crm$IFS/x"]}`, `{"command":"sudo bash x.sh"}`, `{"command":"bash -ic ls"}`} {
		if got := decides(t, []Rule{allows, rejects}, "execute", rawInput); got == "allow" {
			t.Errorf("%s is allowed", rawInput)
		}
	}
	// Programs that add words to a command, or start it.
	for line, want := range map[string]string{
		"find . | xargs rm": "reject", "ls | parallel rm": "reject", "find . -print0 | xargs -0 /bin/rm": "reject", "sudo xargs rm": "reject", "ls | xargs git": "", "ls | xargs grep x": "",
		"taskset 1 rm x": "reject", "flock l rm x": "reject", "strace rm x": "reject", "firejail rm x": "reject", "docker exec c rm x": "reject", "docker run --rm i rm x": "reject",
		"noglob rm x": "reject", "repeat 3 rm x": "reject", "pkexec rm x": "reject", "runuser -u bob rm x": "reject", "docker rm x": "allow",
	} {
		if got := decides(t, []Rule{allows, rejects}, "execute", `{"command":`+quoted(line)+`}`); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	// A blank command says nothing. A text or a list is a command of every kind.
	for rawInput, want := range map[string]string{
		`{"command":""}`: "", `{"command":"  "}`: "", `{"command":"","script":"rm -rf x"}`: "", `{"command":["",""]}`: "", `"rm x"`: "reject", `["rm","x"]`: "reject", `"ls"`: "allow",
	} {
		for _, kind := range []string{"execute", "other", "edit"} {
			if got := decides(t, []Rule{{Kind: kind, Answer: "allow_once"}, rejects}, kind, rawInput); got != want && (kind == "execute" || want == "reject") {
				t.Errorf("%s of the kind %s: %q, want %q", rawInput, kind, got, want)
			}
		}
	}
	// A call of another kind runs no command unless it has one.
	reads := Rule{Kind: "read", Answer: "allow_once"}
	for rawInput, want := range map[string]string{`{"path":"x"}`: "allow", `null`: "allow", `{"command":"rm x"}`: "reject", `{"command":"view"}`: "allow"} {
		if got := decides(t, []Rule{reads, rejects}, "read", rawInput); got != want {
			t.Errorf("a read with %s: %q, want %q", rawInput, got, want)
		}
	}
}

// A rule that rejects by command or tool wins over one that allows. All others decide by the first
// match, and all conditions of a rule must match.
func TestWhichRuleDecides(t *testing.T) {
	const raw = `{"command":"git push"}`
	allow := func(r Rule) Rule { r.Answer = "allow_once"; return r }
	reject := func(r Rule) Rule { r.Answer = "reject_once"; return r }
	ask := func(r Rule) Rule { r.Answer = Ask; return r }
	git, push := Rule{Command: []string{"git *"}}, Rule{Command: []string{"git push"}}
	for name, test := range map[string]struct {
		rules []Rule
		want  string
	}{
		"deny after allow":        {[]Rule{allow(git), reject(push)}, "reject"},
		"deny before allow":       {[]Rule{reject(push), allow(git)}, "reject"},
		"deny after a plain one":  {[]Rule{allow(Rule{Kind: "execute"}), reject(push)}, "reject"},
		"a plain deny after":      {[]Rule{allow(git), reject(Rule{Kind: "execute"})}, "allow"},
		"a plain deny before":     {[]Rule{reject(Rule{Kind: "execute"}), allow(git)}, "reject"},
		"ask before":              {[]Rule{ask(push), allow(git)}, ""},
		"ask after":               {[]Rule{allow(git), ask(push)}, "allow"},
		"ask before deny":         {[]Rule{ask(git), reject(push)}, ""},
		"deny of another command": {[]Rule{allow(git), reject(Rule{Command: []string{"rm *"}})}, "allow"},
		"command and kind":        {[]Rule{allow(Rule{Command: []string{"git *"}, Kind: "read"})}, ""},
		"command and title":       {[]Rule{allow(Rule{Command: []string{"git *"}, Title: "T"})}, "allow"},
		"command and location":    {[]Rule{allow(Rule{Command: []string{"git *"}, Location: "/w/*"})}, ""},
		"command and tool":        {[]Rule{allow(Rule{Command: []string{"git *"}, Tool: []string{"Bash"}})}, ""},
		"deny by tool":            {[]Rule{allow(git), reject(Rule{Tool: []string{"Bash"}})}, "allow"},
		"plain rules":             {[]Rule{allow(Rule{Kind: "execute"}), reject(Rule{Title: "T"})}, "allow"},
	} {
		if got := decides(t, test.rules, "execute", raw); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// A tool has the names that the agent gives it. Two names must both be allowed.
func TestTools(t *testing.T) {
	for _, test := range []struct{ announced, asked, allow, reject string }{
		{`"_meta":{"claudeCode":{"toolName":"Bash"}}`, ``, "allow_once", "reject_once"},
		{`"name":"Bash"`, ``, "allow_once", "reject_once"},
		{``, `"_meta":{"goose":{"toolCall":{"toolName":"Bash"}}}`, "allow_once", "reject_once"},
		{``, `"rawInput":{"_toolName":"Bash"}`, "allow_once", "reject_once"},
		{`"name":"Bash"`, `"name":"Edit"`, "", "reject_once"},
		{`"name":"Edit"`, `"_meta":{"toolName":"Bash"}`, "", "reject_once"},
		{``, `"name":["Edit"],"_meta":{"toolName":"Bash"}`, "", ""},
		{`"name":"Bash","_meta":{"toolName":"Edit"}`, ``, "", "reject_once"},
		{``, `"title":"Bash"`, "", ""}, // a title is what the agent shows
		{``, ``, "", ""},
	} {
		c := conversation.New(conversation.Options{})
		c.NoteCall("s", parse(t, strings.Replace(`{"toolCallId":"t","kind":"other","title":"T",`+test.announced+`}`, ",}", "}", 1)), true)
		call := asked(t, c, strings.Replace(`{"toolCallId":"t",`+test.asked+`}`, ",}", "}", 1))
		for answer, want := range map[string]string{"allow_once": test.allow, "reject_once": test.reject} {
			got := ""
			if r := deciding([]*Rule{{Tool: []string{"Bash"}, Answer: answer}}, call); r != nil {
				got = r.Answer
			}
			if got != want {
				t.Errorf("announced %s, asked %s: %q decides, want %q", test.announced, test.asked, got, want)
			}
		}
	}
}

// What is beyond the bound of a nested line is not tried.
func TestNestedSubstitutionsAreQuick(t *testing.T) {
	growth.NeedsTime(t)
	rules := []Rule{{Kind: "execute", Answer: "allow_once"}, {Command: []string{"rm *"}, Answer: "reject_once"}}
	for _, piece := range []string{"$(", "$(\\a ", "sudo $("} {
		n := maxLine / (len(piece) + 1)
		line := quoted(strings.Repeat(piece, n) + strings.Repeat(")", n))
		took := time.Hour
		for range 5 { // the machine may be slow for a moment
			took = min(took, growth.Time(func() { decides(t, rules, "execute", `{"command":`+line+`}`) }))
		}
		if took > 50*time.Millisecond {
			t.Errorf("%d times %q takes %v", n, piece, took)
		}
	}
}

// Reading a line takes a bounded time, however it is nested.
func TestLongLinesAreQuick(t *testing.T) {
	growth.NeedsTime(t)
	rules := []Rule{{Command: []string{"*a*b*c*d*"}, Answer: "reject_once"}, {Command: []string{"ls"}, Answer: "allow_once"}}
	for _, piece := range []string{"$(", "((", "`", "{ ", "if ", "bash -c '", "bash -c \"", "a;", "a && ", "sudo ", "( ", "<<E\n", "${x:-", "\"$(", "'", "[[ ", "$((", "a|", "! ", "case x in ", "a() ", "\\", "<(",
		"( a\x01 )", "$(a \x01)", "{ a; \x01 }", "if a; then \x01 fi;", "\"$(a \x01)\"", "a && \x01 b", "sudo a; \x01 b"} {
		begin, end, _ := strings.Cut(piece, "\x01")
		n := maxLine / len(piece)
		line := strings.Repeat(begin, n) + strings.Repeat(end, n)
		list, err := json.Marshal(append([]string{"sudo"}, strings.Fields(line)...))
		if err != nil {
			t.Fatal(err)
		}
		work := func() {
			decides(t, rules, "execute", `{"command":`+quoted(line)+`}`)
			decides(t, rules, "execute", `{"command":`+string(list)+`}`)
		}
		took := growth.Time(work)
		for range 3 { // of a machine that is slow for a moment
			if took > 200*time.Millisecond {
				took = growth.Time(work)
			}
		}
		if took > 200*time.Millisecond {
			t.Errorf("%d times %q takes %v", n, piece, took)
		}
	}
}

// Locations that cannot be read are not known.
func TestLocationsThatCannotBeRead(t *testing.T) {
	for locations, want := range map[string]string{
		`[{"path":"/w/x"}]`: "allow_once", `[{"path":"/w/x","path":"/etc/passwd"}]`: "", `[{"path":5}]`: "", `[5]`: "", `[{}]`: "", `"/w/x"`: "", `[{"path":"/w/x"},{"path":["/w/x"]}]`: "",
	} {
		call := asked(t, conversation.New(conversation.Options{}), `{"toolCallId":"t","kind":"edit","title":"T","locations":`+locations+`}`)
		got := ""
		if r := deciding([]*Rule{{Location: "/w/*", Answer: "allow_once"}}, call); r != nil {
			got = r.Answer
		}
		if got != want {
			t.Errorf("%s: %q decides, want %q", locations, got, want)
		}
		rejects := &Rule{Location: "/etc/*", Answer: "reject_once"}
		if r := deciding([]*Rule{rejects, {Kind: "edit", Answer: "allow_once"}}, call); (r != nil) != (want != "") {
			t.Errorf("%s: after a rule that rejects by location %v decides", locations, r)
		}
	}
}
