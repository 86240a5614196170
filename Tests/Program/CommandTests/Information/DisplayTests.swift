import Foundation
import Testing

@Suite("What is shown, and where from")
struct DisplayTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func pay(_ more: String..., environment: [String: String] = [:]) throws -> ProgramResult {
        try Program.run(
            ["pay", "5", "--database", scratch.database] + more, in: scratch, environment: environment)
    }

    @Test func `a list without entries has a hint, which --quiet leaves out`() throws {
        let list = ["payments", "list", "--database", scratch.database]
        try pay("--card", "mute").expectStatus(5)
        let hint = ["orders", "list", "--database", scratch.database]
        #expect(try Program.run(list + ["--quiet"], in: scratch).error.isEmpty)
        // An error is shown all the same.
        #expect(try !Program.run(hint + ["--quiet"], in: scratch).error.isEmpty)
    }

    @Test func `--verbose tells the files and the time, and --quiet excludes it`() throws {
        let config = try scratch.write("currency: EUR\n", to: "till.yaml")
        let result = try pay("--verbose", "--config", config)
        #expect(result.status == 0)
        #expect(result.error.contains("cardpresent: configuration: \(config)\n"))
        #expect(result.error.contains("cardpresent: database: \(scratch.database)\n"))
        #expect(result.error.contains("cardpresent: took "))
        // The reader of the payment, once: not the time before the connection, and not the end of the command.
        #expect(result.error.components(separatedBy: "cardpresent: reader: ").count == 2, "\(result.error)")
        #expect(try pay("--config", config).error.isEmpty)
        #expect(try pay("--verbose", "--quiet").status == 64)
    }

    @Test func `--verbose tells route, status, size, and time of each request, and no credentials`() throws {
        let store = try SimulatedStore(in: scratch)
        let password = try scratch.text("store-password").trimmingCharacters(in: .whitespacesAndNewlines)
        let error = try store.run("orders", "sync", "--verbose").error
        let expected = try Regex(
            #"cardpresent: GET http://127\.0\.0\.1:\d+/\?rest_route=/wc/v3/orders: 200, \d+ bytes, \d+ ms\n"#)
        #expect(error.contains(expected), "\(error)")
        // Parameters can be search terms.
        let search = try store.run("orders", "search", "a1b2c3", "--verbose").error
        #expect(search.contains(expected) && !search.contains("a1b2c3"), "\(search)")
        for secret in [password, "Authorization", "Basic "] { #expect(!(error + search).contains(secret)) }
        #expect(try store.run("orders", "show", "99999", "--refresh", "--verbose").error.contains(": 404, "))
    }

    @Test func `--verbose tells why a request failed, and when`() throws {
        let database: String
        do {
            let store = try SimulatedStore(in: scratch)
            database = store.scratch.database
        }
        let error = try Program.run(["orders", "sync", "--verbose", "--database", database], in: scratch).error
        #expect(error.contains("?rest_route=/wc/v3/orders: cannot reach 127.0.0.1: "), "\(error)")
    }

    @Test func `color is for terminals, and --color decides otherwise`() throws {
        let escape = "\u{1B}["
        #expect(try pay().output.hasPrefix("APPROVED"))
        #expect(try pay("--color", "always").output.hasPrefix("\(escape)32mAPPROVED\(escape)0m"))
        #expect(try pay("--color", "always", environment: ["NO_COLOR": "1"]).output.hasPrefix(escape))
        #expect(try pay("--color", "sometimes").status == 64)
        let refusal = try pay("--nonsense", "--color", "always")
        #expect(refusal.error.hasPrefix("\(escape)1;31mError:\(escape)0m Unknown option"))
        let json = try pay("--color", "always", "--json")
        #expect(try json.object()["outcome"] as? String == "approved")
        #expect(!json.output.contains(escape))
    }

    @Test func `lists color their status`() throws {
        let escape = "\u{1B}["
        try pay("--seed", "1").expectStatus(0)
        try pay("--card", "mute").expectStatus(5)
        func colored(_ words: String...) throws -> String {
            try Program.run(words + ["--database", scratch.database, "--color", "always"], in: scratch).output
        }
        func plain(_ words: String...) throws -> String {
            try Program.run(words + ["--database", scratch.database, "--color", "never"], in: scratch).output
        }
        let list = try colored("payments", "list")
        #expect(
            list.contains("\(escape)32mcaptured\(escape)0m  ") && list.contains("\(escape)1;31mfailed\(escape)0m  "))
        // Colors take no place.
        let bare = list.replacing(try Regex("\u{1B}\\[[0-9;]*m"), with: "")
        #expect(bare == (try plain("payments", "list")))
        let shown = try colored("payments", "show", "1")
        #expect(shown.contains("\(escape)32mcaptured\(escape)0m\n"))
        #expect(try colored("issuer", "reconcile").hasSuffix("\(escape)32mledger and journal agree\(escape)0m\n"))
        #expect(try colored("issuer", "ledger").contains("\(escape)32m00\(escape)0m"))
        #expect(!(try colored("payments", "list", "--json").contains(escape)))
        let scenario = try scratch.write(
            "template_version: 1\ndescription: x\ncard: visa-credit\nsteps:\n  - connect\n  - pay: 5\n", to: "a.yaml")
        let run = try Program.run(["simulate", "run", scenario, "--color", "always"], in: scratch)
        #expect(run.output.hasPrefix("\(escape)32m"), "\(run.output)\(run.error)")
    }

    @Test func `orders and watched payments color their status`() throws {
        let escape = "\u{1B}["
        let store = try SimulatedStore(in: scratch)
        try store.run("orders", "sync").expectStatus(0)
        let list = try store.run("orders", "list", "--color", "always").output
        #expect(list.contains("\(escape)32m") && !list.contains("\(escape)0m\(escape)"), "\(list)")
        try pay().expectStatus(0)
        let watch = try Child(
            ["payments", "watch", "--color", "always", "--database", scratch.database], in: scratch)
        #expect(watch.wait { watch.output.contains("\n") })
        watch.send(SIGTERM)
        #expect(try watch.result().output.contains("\(escape)32mcaptured\(escape)0m"))
    }

    @Test(arguments: [
        ([], ["TERM": "xterm"], true), ([], ["TERM": "xterm", "NO_COLOR": "1"], false),
        ([], ["TERM": "xterm", "NO_COLOR": ""], true), ([], ["TERM": "dumb"], false), ([], [:], false),
        (["--color", "never"], ["TERM": "xterm"], false), (["--color=always"], ["TERM": "dumb"], true),
    ])
    func `an error on a terminal is colored`(options: [String], environment: [String: String], isColored: Bool) throws {
        let child = try Child(
            ["payments", "show", "P000001", "--config", scratch.file("none.yaml")] + options, in: scratch,
            environment: environment, onTerminal: true)
        let error = try child.result().error
        #expect(error.contains("cardpresent:"))
        #expect(error.contains("\u{1B}[1;31m") == isColored, "\(error)")
    }

    @Test func `variables name the configuration and the database, and options precede them`() throws {
        let euros = try scratch.write("currency: EUR\n", to: "euros.yaml")
        let yen = try scratch.write("currency: JPY\n", to: "yen.yaml")
        let variables = ["CARDPRESENT_CONFIG": euros, "CARDPRESENT_DATABASE": scratch.file("other.sqlite")]
        func run(_ arguments: String..., environment: [String: String]) throws -> ProgramResult {
            try Program.run(arguments, in: scratch, environment: environment)
        }
        #expect(try run("pay", "5", environment: variables).output.hasPrefix("APPROVED  5.00 EUR"))
        #expect(FileManager.default.fileExists(atPath: scratch.file("other.sqlite")))
        #expect(
            try run("pay", "5", "--config", yen, "--database", scratch.database, environment: variables).output
                .hasPrefix("APPROVED  5 JPY"))
        #expect(FileManager.default.fileExists(atPath: scratch.database))
        #expect(try run("config", "show", "--json", environment: variables).object()["file"] as? String == euros)
        // A file that does not exist is an error, and an empty variable is none.
        let missing = ["CARDPRESENT_CONFIG": scratch.file("none.yaml")]
        #expect(try run("config", "show", environment: missing).status == 78)
        let empty = ["CARDPRESENT_CONFIG": "", "CARDPRESENT_DATABASE": ""]
        #expect(try run("pay", "5", environment: empty).output.hasPrefix("APPROVED  5.00 USD"))
    }

    // MARK: Manual pages

    @Test func `the manual has a page for each command, with the same bytes every time`() throws {
        func pages(_ folder: String) throws -> [String: String] {
            let result = try Program.run(["man-pages", scratch.file(folder), "--json"], in: scratch)
            #expect(result.status == 0)
            let names = try #require(try result.object()["pages"] as? [String])
            let written = try FileManager.default.contentsOfDirectory(atPath: scratch.file(folder))
            #expect(names.sorted() == written.sorted())
            return Dictionary(uniqueKeysWithValues: try names.map { ($0, try scratch.text("\(folder)/\($0)")) })
        }
        let first = try pages("one")
        #expect(try pages("two/man1") == first)
        #expect(first.count > 90)
        for name in ["cardpresent.1", "cardpresent-pay.1", "cardpresent-payments-list.1"] {
            #expect(first[name] != nil)
        }
        #expect(first["cardpresent-man-pages.1"] == nil)
        let pay = try #require(first["cardpresent-pay.1"])
        #expect(pay.contains(#"\fB\-\-issuer\-rules\fR \fIrules\fR"#))
        #expect(first["cardpresent.1"]?.contains("CARDPRESENT_DATABASE") == true)
    }

    @Test(
        .enabled(
            if: ["/usr/bin/groff", "/usr/bin/mandoc"].contains { FileManager.default.isExecutableFile(atPath: $0) }))
    func `no page has a warning`() throws {
        let folder = scratch.file("man1")
        try Program.run(["man-pages", folder], in: scratch).expectStatus(0)
        let check = """
            cd "$1" || exit 1
            if [ -x /usr/bin/groff ]; then for page in *; do groff -man -Tutf8 -ww -z "$page" 2>&1; done; fi
            if [ -x /usr/bin/mandoc ]; then mandoc -T lint -W warning * 2>&1; fi
            exit 0
            """
        let result = try Program.run(shell: check, [folder], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.isEmpty, "\(result.output.prefix(2000))")
    }
}
