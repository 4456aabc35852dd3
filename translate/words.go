package translate

// words are what people and models write for a status, in lower case.
var words = map[string]Status{
	"done": Completed, "complete": Completed, "completed": Completed, "finished": Completed, "implemented": Completed,

	"erledigt": Completed, "fertig": Completed, "abgeschlossen": Completed, "terminé": Completed, "fait": Completed,
	"hecho": Completed, "completado": Completed, "concluído": Completed, "выполнено": Completed, "готово": Completed,
	"完了": Completed, "完了済み": Completed, "済": Completed, "已完成": Completed, "完成": Completed, "완료": Completed,

	"in progress": InProgress, "in-progress": InProgress, "in_progress": InProgress, "inprogress": InProgress,
	"wip": InProgress, "doing": InProgress, "ongoing": InProgress,
	"underway": InProgress, "partially done": InProgress,
	"partially complete": InProgress, "in review": InProgress, "nearly complete": InProgress, "almost done": InProgress,
	"in arbeit": InProgress, "en cours": InProgress, "en progreso": InProgress, "em andamento": InProgress,
	"в работе": InProgress, "進行中": InProgress, "作業中": InProgress, "进行中": InProgress, "진행 중": InProgress,

	"todo": Pending, "to do": Pending, "to-do": Pending, "pending": Pending, "planned": Pending,
	"not started": Pending, "not done": Pending, "backlog": Pending,

	"tbd": Pending, "not yet": Pending, "not implemented": Pending, "not complete": Pending,
	"unplanned": Pending,
	"offen":     Pending, "à faire": Pending, "pendiente": Pending, "pendente": Pending, "не начато": Pending,
	"未着手": Pending, "未完了": Pending, "待办": Pending, "未开始": Pending, "대기": Pending,

	"cancelled": dropped, "canceled": dropped, "dropped": dropped, "abandoned": dropped, "declined": dropped,
	"rejected": dropped, "skipped": dropped, "wontfix": dropped, "won't do": dropped, "won't fix": dropped,
	"obsolete": dropped, "abgebrochen": dropped, "annulé": dropped, "cancelado": dropped,
	"отменено": dropped, "中止": dropped, "已取消": dropped, "취소": dropped,
}

// weak are words that are a status only where one is announced: in a column, or
// behind "Status:". Elsewhere they say something else too often.
var weak = map[string]Status{
	"missing": Pending, "no": Pending, "next": Pending, "open": Pending, "deferred": Pending, "draft": Pending, "upcoming": Pending, "waiting": Pending, "queued": Pending, "incomplete": Pending, "blocked": Pending,
	"ready": Completed, "yes": Completed, "fixed": Completed, "closed": Completed, "passed": Completed, "verified": Completed, "shipped": Completed, "merged": Completed, "resolved": Completed,
	"current": InProgress, "active": InProgress, "started": InProgress, "partial": InProgress,
	"removed": dropped,
}

// signs are the emoji of a status where no legend says otherwise.
var signs = map[string]Status{
	"✅": Completed, "☑": Completed, "✔": Completed, "✓": Completed, "🟢": Completed, "🎉": Completed,
	"🔄": InProgress, "🚧": InProgress, "🏗": InProgress, "🔨": InProgress, "🟡": InProgress, "⏩": InProgress,
	"⏳": Pending, "⌛": Pending, "⬜": Pending, "☐": Pending, "🔲": Pending, "⏸": Pending, "📋": Pending,
	"🔴": Pending, "🟠": Pending, "⚠": Pending, "⭕": Pending, "🔜": Pending,
	"❌": dropped, "🚫": dropped, "☒": dropped, "✗": dropped, "✘": dropped,
}
