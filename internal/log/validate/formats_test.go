package validate

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"acpshim/internal/record/history"
)

// A build server shows which messages are wrong, and what is wrong with them.
func TestJUnit(t *testing.T) {
	r := report(t, update(`{"sessionUpdate":"plan","entries":[{"content":"\u001b<a>","priority":"urgent","status":"pending"}]}`),
		update(`{"sessionUpdate":"plan","entries":[]}`), update(`{"sessionUpdate":"<&\""}`), `client {"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`)
	var b strings.Builder
	if err := r.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Class   string `xml:"classname,attr"`
				Name    string `xml:"name,attr"`
				Failure string `xml:"failure"`
				Output  string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &suites); err != nil {
		t.Fatalf("%v:\n%s", err, &b)
	}
	s := suites.Suite
	if s.Tests != 3 || s.Failures != 1 || s.Skipped != 0 || len(s.Cases) != 3 {
		t.Fatalf("%+v", s)
	}
	if c := s.Cases[0]; c.Class != "acp.agent" || c.Name != "notification plan" || !strings.HasPrefix(c.Failure, "#1 /params/update/entries/0/priority: ") {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[1]; c.Name != `notification <&"` || c.Failure != "" || !strings.HasPrefix(c.Output, "#3 ") {
		t.Errorf("%+v", c)
	}
	if c := s.Cases[2]; c.Class != "acp.client" || c.Failure+c.Output != "" {
		t.Errorf("%+v", c)
	}
}

// A test that cannot be run is skipped, not passed.
func TestJUnitOfAnUnknownVersion(t *testing.T) {
	var b strings.Builder
	r := report(t, `client {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":99}}`)
	if err := r.WriteJUnit(&b); err != nil || !strings.Contains(b.String(), `<skipped message="there is no schema for version 99"/>`) {
		t.Errorf("%v:\n%s", err, &b)
	}
	if text, err := json.Marshal(r.SARIF("v1")); err != nil || !strings.Contains(string(text), "nothing was checked") {
		t.Errorf("%s, %v", text, err)
	}
}

func TestSARIF(t *testing.T) {
	r := report(t, update(`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"urgent","status":"pending"}]}`), update(`{"sessionUpdate":"_x"}`))
	r.Record = "2026 x"
	text, err := json.Marshal(r.SARIF("v1"))
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct{ Name, Version string }
			}
			Results []struct {
				RuleID, Level string
				Message       struct{ Text string }
				Locations     []struct {
					PhysicalLocation struct{ ArtifactLocation struct{ URI string } }
					LogicalLocations []struct{ FullyQualifiedName string }
				}
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) != 2 {
		t.Fatalf("%s, %v", text, err)
	}
	run := log.Runs[0]
	first, second := run.Results[0], run.Results[1]
	if log.Version != "2.1.0" || run.Tool.Driver.Name != "acpshim" || run.Tool.Driver.Version != "v1" ||
		first.RuleID != "acp-schema-error" || first.Level != "error" || second.Level != "note" ||
		!strings.HasPrefix(first.Message.Text, "#1, plan from agent: ") ||
		first.Locations[0].LogicalLocations[0].FullyQualifiedName != "1/params/update/entries/0/priority" ||
		first.Locations[0].PhysicalLocation.ArtifactLocation.URI != "2026%20x.jsonl" {
		t.Errorf("%s", text)
	}
	if text, _ := json.Marshal(Check(&history.History{}).SARIF("")); !strings.Contains(string(text), `"results":[]`) {
		t.Errorf("of nothing: %s", text)
	}
}
