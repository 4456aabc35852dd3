package versions

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"acpshim/filters"
	"acpshim/internal/chain/conversation"
	"acpshim/internal/chain/dispatch"
	"acpshim/internal/chain/wire"
	"acpshim/internal/log/validate"
	"acpshim/internal/record"
	"acpshim/internal/record/history"
)

// passes is what a peer gets though its version does not allow it.
var passes = []string{
	"request session/prompt /params/prompt: want at least 1 item", // the agent refuses it itself
}

// problems returns what is wrong with a line between peers of a version. Request is the request of
// a response.
func problems(version string, from dispatch.Side, request, line string) (found []string) {
	var book history.Conversation
	var messages []*history.Message
	add := func(from dispatch.Side, line string) {
		messages = append(messages, book.Add(record.Record{
			Seq: uint64(len(messages) + 1), Message: &record.Message{Dir: from, Line: []byte(line + "\n")},
		})...)
	}
	m := read(line)
	if m.Method != "initialize" && read(request).Method != "initialize" {
		add(dispatch.Client, `{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":`+version+`}}`)
		add(dispatch.Agent, `{"jsonrpc":"2.0","id":"first","result":{"protocolVersion":`+version+`}}`)
	}
	if m.Method == "" {
		add(from.Other(), request)
	}
	add(from, line)
	for _, f := range validate.Check(&history.History{Messages: messages}).Findings {
		isNews := strings.HasPrefix(f.Text, "only the unstable schema") || strings.HasPrefix(f.Text, "stable since")
		about := fmt.Sprintf("%s %s %s: %s", f.Kind, f.Name, indexes.ReplaceAllString(f.Pointer, "/*"), f.Text)
		if f.Seq == uint64(len(messages)) && !(f.Note && isNews) && !slices.Contains(passes, about) {
			found = append(found, about)
		}
	}
	for _, match := range updatedAt.FindAllStringSubmatch(line, -1) { // the schemas of acpshim have no formats
		var text string
		json.Unmarshal([]byte(match[1]), &text)
		if _, err := time.Parse(time.RFC3339, text); err != nil && version == "2" {
			found = append(found, "updatedAt is not a date")
		}
	}
	return found
}

var (
	indexes   = regexp.MustCompile(`/\d+`)
	updatedAt = regexp.MustCompile(`"updatedAt":("[^"]*")`)
)

// unannounced returns what a client of version 1 gets though it did not announce it.
func unannounced(initialize, line string) (problems []string) {
	o, _ := wire.Parse([]byte(initialize), "params")
	client := conversation.ReadClient(o.Open("params"))
	for name, gate := range filters.Gates {
		if wire.IsObject(client.Capability(gate.Capability...)) {
			continue
		}
		for _, kind := range gate.Updates {
			if read(line).Params.Update.SessionUpdate == kind {
				problems = append(problems, "the client does not announce "+name)
			}
		}
		for _, kind := range gate.Options {
			if strings.Contains(line, `"configOptions":[`) && strings.Contains(line, `"type":"`+kind+`"`) {
				problems = append(problems, "the client does not announce "+name)
			}
		}
	}
	return problems
}
