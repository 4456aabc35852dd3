package junit

import (
	"encoding/xml"
	"strings"
	"testing"
)

// What a peer wrote cannot break the XML, and the counts are those of the cases.
func TestTheXMLIsWellFormed(t *testing.T) {
	var b strings.Builder
	err := Write(&b, "a \x01 <name>", []Case{
		{Class: "c", Name: "passed"},
		{Class: "c", Name: `"quoted"`, Failure: []string{"]]> & \x00", "second"}, Output: []string{"</testcase>"}},
		{Class: "c", Name: "left out", Skipped: "not <announced>"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Suite struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string `xml:"name,attr"`
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(b.String()), &read); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if s := read.Suite; s.Tests != 3 || s.Failures != 1 || s.Skipped != 1 || s.Cases[1].Name != `"quoted"` || !strings.HasSuffix(s.Cases[1].Failure, "\nsecond") {
		t.Errorf("read %+v", s)
	}
}
