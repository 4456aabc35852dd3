package redact

import "strings"

// commandTable are programs that take secrets as arguments other than behind a flag that is
// named so. Rules are expressions, parted by "; ", over the name and the arguments: a space
// is what stands between two of them, "@" the secret, "!" a name that has to be one of a
// secret, "_" any word but a flag, "~" a space with flags in it, "…" the rest of a word.
var commandTable = []struct{ names, rules string }{
	{"curl", ` (?:-[uUE] ?|--(?:proxy-)?user[ =]|--cert[ =])[^: ]*:@;  (?:-b ?|--cookie[ =])([^= ]+=…)`},
	{"wget http https xh httpie aria2c lynx etcdctl", ` (?:-[auU] ?|--(?:auth|user|proxy-user)[ =])[^: ]*:@;  --(?:http|ftp)-passwd[ =]@`},
	{"mysql mysqldump mysqladmin mysqlimport mysqlsh mariadb mariadb-dump mariadb-admin mycli 7z 7za 7zr rar unrar", ` -h?p([^ ]+)`},
	{"mongo mongosh mongodump mongorestore mongoexport mongoimport az sshpass cqlsh cypher-shell rdesktop influx lpass vncviewer tsm clickhouse-client useradd usermod",
		` (?:-p ?|--account-key[ =])@`},
	{"psexec psexec64 wmic nxc crackmapexec evil-winrm xfreerdp xfreerdp3 wfreerdp mstsc cmdkey plink pscp psftp putty", ` (?:-pw ?|-p ?|/p[ :]|/pass[ :])@`},
	{"sqlcmd bcp isql osql tsql zip unzip ipmitool mosquitto_pub mosquitto_sub", ` (?:-P ?|--pw[ =])@`},
	{"snmpwalk snmpget snmpset snmpbulkwalk snmptable", ` -[AXc] ?@`},
	{"redis-cli redis-benchmark valkey-cli keydb-cli", ` -a ?@;  (?i:auth) @`},
	{"ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd ldapcompare ldapmodrdn", ` -[ws] ?@`},
	{"smbclient rpcclient smbget smbmap winexe nmblookup smbcacls", ` (?:-U ?|--user[ =])[^% ]*%@;  -p ?@`},
	{"lftp", ` -u ?[^, ]*,@`},
	{"openssl", ` -pass(?:in|out)? pass:@;  -[kK] @`},
	{"keytool jarsigner apksigner", ` -(?:(?:src|dest)?(?:store|key)pass|new) @`},
	{"htpasswd", `\A _~-[^ ]*b…~_~_~@; \A _~-[^ ]*nb…~_~@`},
	{"aws npm yarn pnpm git composer gcloud pip poetry bundle heroku", ` (?:configure set|config set|config)~!~@;  auth:token @`},
	{"setx setenv SetEnv", `\A _~!~@`},
	{"set", `\A _ -[^ ]*x…~!~@`},
	{"docker podman nerdctl helm buildah skopeo oras crane regctl buildx oc cf twine", ` (?:login|upload)(?: …)*? -p ?@;  login(?: …)*? -u ?[^: ]*:@;  auth _ @`},
	{"net", ` user _ @;  use(?: _)? \\\\… @`},
	{"rabbitmqctl", ` (?:add_user|change_password|authenticate_user) _ @`},
	{"wpa_passphrase", `\A _ _ @`},
	{"vault cargo wandb doppler snyk ngrok cloudflared", ` (?:login|auth|(?:add-)?authtoken|install) @`},
	{"gh doctl vercel netlify", ` -t ?@;  secret set(?: …)*? -b ?@`},
	{"security", ` add-\w+-password(?: …)*? -w ?@;  unlock-keychain(?: …)*? -p ?@;  set-keychain-password @`},
}

// commands are the rules of the table by the names of their programs.
var commands = func() map[string][]expression {
	all := make(map[string][]expression)
	spelled := strings.NewReplacer("@", `([^\x00-][^\x00]*)`, "!", `([^\x00-][^\x00]*)`, "_user", "_user", "_password", "_password", "_", `[^\x00-][^\x00]*`,
		"~", `(?:\x00-[^\x00]*)*?\x00`, "…", `[^\x00]*`, " ", `\x00`)
	for _, row := range commandTable {
		var rules []expression
		for rule := range strings.SplitSeq(row.rules, "; ") {
			rules = append(rules, lazily(spelled.Replace(rule)))
		}
		for _, name := range strings.Fields(row.names) {
			all[name] = rules
		}
	}
	return all
}()
