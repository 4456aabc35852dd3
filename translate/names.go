package translate

import (
	"acpshim/translate/entry"
	"acpshim/translate/todo"
)

// The names of entries and todo tools, as those know them who handle plans.
type (
	Entry       = entry.Entry
	Status      = entry.Status
	Priority    = entry.Priority
	Digest      = entry.Digest
	Todos       = todo.Todos
	Tool        = todo.Tool
	ToolOptions = todo.ToolOptions
)

const (
	Pending    = entry.Pending
	InProgress = entry.InProgress
	Completed  = entry.Completed

	High   = entry.High
	Medium = entry.Medium
	Low    = entry.Low

	SessionUpdate = todo.SessionUpdate
)

func DigestOf(entries []Entry) Digest { return entry.DigestOf(entries) }

func NewTool(o ToolOptions) (*Tool, error) { return todo.NewTool(o) }
