import Testing

@Suite("Help")
struct HelpTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [["--help"], ["-h"], ["help"]])
    func `the program lists its commands`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(
            result.output == """
                OVERVIEW: Take card-present payments, record them, and print receipts.

                EXAMPLES:
                  cardpresent pay 12.50
                  cardpresent payments list
                  cardpresent receipts print P000001
                  cardpresent doctor

                For testing and development only: no EMVCo approval, no PCI assessment. Without
                a payment host in the configuration, a simulated issuer answers, and no money
                moves.

                Exit codes: 0 approved or done, 1 internal error, 2 declined, 3 canceled, 4
                outcome unknown, 5 reader or card, 6 printer, 7 comparison found differences,
                64 usage, 65 bad data, 66 no such database, 69 unavailable, 75 try again, 78
                configuration.

                USAGE: cardpresent <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  pay                     Take a card payment.
                  refund                  Refund a captured payment.
                  payments                List, show, capture, recover, and sync payments.
                  receipts                List, show, render, print, and email receipts.
                  printers                List and test printers, and set the default printer.
                  drawer                  Open the cash drawer.
                  readers                 List, show, watch, and update card readers.
                  terminal                Take payments for tills that speak a terminal
                                          protocol.
                  login                   Sign in to a store.
                  logout                  Sign out of the store and delete its local data.
                  sites                   List your sites and choose the current store.
                  orders                  List, sync, create, and edit orders.
                  customers               List, show, search, and sync customers.
                  stats                   Show the store's sales statistics.
                  settings                List, show, change, and sync store settings.
                  taxes                   List and show tax rates and tax classes.
                  shipments               List, add, and delete shipment tracking.
                  comments                Moderate and reply to comments and product reviews.
                  notifications           List and sync WordPress.com notifications.
                  cards                   List and show simulated cards.
                  simulate                Simulate sessions, hardware, stores, acquirers, and
                                          terminals.
                  exceptions              Manage the exception file of blocked cards.
                  issuer                  Show and reconcile the simulated issuer's ledger.
                  host                    Check payment hosts, and decode and encode their
                                          messages (ISO 8583).
                  fleet                   Send the payments of many tills to one back office.
                  init                    Write a configuration by asking a few questions.
                  config                  Show and check the till configuration.
                  features                List features and experiments.
                  emv                     Decode, replay, and verify EMV data.
                  debug                   Debug store responses.
                  doctor                  Diagnose and fix problems with readers, printers, and
                                          the database.
                  backup                  Copy the records to a file while they are in use.
                  restore                 Put a backup of the records in place.
                  metrics                 Print metrics of the records for Prometheus.

                  See 'cardpresent help <subcommand>' for detailed help.

                """)
    }

    @Test(arguments: [["pay", "--help"], ["help", "pay"]])
    func `pay lists its options`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 0)
        #expect(
            result.output == """
                OVERVIEW: Take a card payment.

                EXAMPLES:
                  cardpresent pay 12.50
                  cardpresent pay 12.50 --reader usb --printer receipts
                  cardpresent pay --order 123
                  cardpresent pay 12.50 --card visa-debit --pin 1234 --seed 7
                  cardpresent pay 12.50 --reader simulated:dual-interface --insert
                  cardpresent pay 12.50 --reader usb --host-trace host.jsonl
                  cardpresent pay 150.00 --authorize-only

                The payment is recorded in the journal before anything is sent to the host.
                Ctrl-C cancels the payment and reverses what was already sent. 'cardpresent
                payments list' always shows the result.

                With --order, the amount comes from the order in the store that you are signed
                in to, and the store is notified of the payment. The exit code reports the
                payment only: 0 means the card was charged, even if the store could not be
                notified yet. In that case a warning appears on stderr and under 'capture' in
                the JSON, and 'cardpresent payments sync' notifies the store.

                With --authorize-only, the amount is held and not charged (pre-authorization):
                charge all or a part of it with 'cardpresent payments capture', or release it
                with 'cardpresent payments cancel'. The hold expires after the days of
                'host.preauthorizationDays' in the configuration.

                USAGE: cardpresent pay [<options>] [<amount>]

                ARGUMENTS:
                  <amount>                Amount as a decimal, for example 12.50. Not with
                                          --order.

                OPTIONS:
                  --currency <code>       ISO 4217 currency code. Default: the configured
                                          currency, or USD.
                  --tip <decimal>         Tip to add to the amount. Not with --order; add a fee
                                          to the order instead.
                  --order <id>            ID of the store order to pay.
                  --gateway <gateway>     Payment gateway of the store: woocommerce-payments or
                                          woocommerce-stripe. Default: the only one.
                  --account <account>     Account type that the cardholder selected. (values:
                                          savings, cheque, credit)
                  --reader <reader>       Card reader: usb (the first one), usb:ID, pcsc:NAME
                                          (through pcscd), or a simulated reader. (values: usb,
                                          pcsc, simulated, simulated:tpdu,
                                          simulated:short-apdu, simulated:extended-apdu,
                                          simulated:battery, simulated:pinpad,
                                          simulated:tpdu-t0, simulated:dual-slot,
                                          simulated:contactless, simulated:dual-interface,
                                          simulated:combo, simulated:updatable, simulated:msr,
                                          simulated:msr-fixed, simulated:msr-keyboard,
                                          simulated:msr-encrypted)
                        Default: simulated:tpdu; with --tap simulated:contactless. 'cardpresent
                        readers list' lists the connected readers, and 'cardpresent readers
                        list --pcsc' those of pcscd. NAME may be part of the reader's name.
                  --card <profile>        Card in the simulated reader: a profile name or the
                                          path of a profile file.
                        Default: visa-credit; with --tap k8-credit. 'cardpresent cards list'
                        lists the profiles.
                  --tap                   Tap the card on a simulated reader.
                  --insert                Insert the card into a simulated reader.
                  --pin <digits>          PIN of the cardholder; '-' reads it from standard
                                          input.
                        Default: the PIN in the card profile for a simulated reader, or a
                        prompt on the terminal for a real reader. Other users of this machine
                        can see a PIN on the command line.
                  --seed <number>         Random seed. The same seed gives the same bytes.
                        The simulated clock starts at 2026-01-02 12:00 UTC and advances only
                        while the program waits. A new database gets the same rows, except for
                        the key of the exception file and the hashes made with it.
                  --trace <file>          Write each card exchange to this file as JSON lines,
                                          with card data masked.
                  --trace-clear           Write the trace of a simulated card without masking,
                                          so that 'emv replay' can play it.
                        Only with a simulated reader. The PIN is left out.
                  --force-online          Require online authorization.
                  --authorize-only        Hold the amount and capture it later. Requires online
                                          authorization. Not with --order.
                  --allow-partial         Accept an approval of a part of the amount instead of
                                          reversing it. Not with --order.
                  --timeout <seconds>     Time to wait for a card. (default: 60)
                  --issuer-rules <rules>  Rules of the simulated issuer: a built-in name or the
                                          path of a YAML file.
                        They take precedence over the card profile. With 'cents', the cents of
                        the amount select the response code: 10.51 is declined with 51.
                  --host-trace <file>     Write each message to and from the payment host to
                                          this file as JSON lines, with card data masked.
                  --printer <queue>       Print the merchant and customer receipts on this
                                          printer.
                        A printing error does not affect the payment or the exit code.
                  --record <file>         Record the payment to this file as a scenario for
                                          'simulate run', without card data.
                        The file is written however the payment ends, and does not affect the
                        payment or the exit code. See docs/scenarios.md for the limits of
                        replaying a real card.
                  --force                 Overwrite an existing recording.
                  --config <file>         Till configuration file.
                        Default: $CARDPRESENT_CONFIG; without it
                        $XDG_CONFIG_HOME/cardpresent/cardpresent.yaml, or
                        ~/.config/cardpresent/cardpresent.yaml, if the file exists.
                  --database <file>       Database file.
                        Default: $CARDPRESENT_DATABASE; without it
                        $XDG_DATA_HOME/cardpresent/cardpresent.sqlite, or
                        ~/.local/share/cardpresent/cardpresent.sqlite.
                  --json                  Print the result as JSON, errors included.
                  --quiet                 Print only the result and errors.
                  --verbose               Also print files, requests, and times.
                  --color <when>          When to use color. (values: auto, always, never;
                                          default: auto)
                  --version               Show the version.
                  -h, --help              Show help information.


                """)
    }

    @Test func `the version is one line`() throws {
        #expect(try Program.run(["--version"], in: scratch).output == "0.2.0\n")
    }

    @Test(arguments: [
        ["refund"], ["payments", "list"], ["payments", "show"], ["payments", "increment"], ["payments", "recover"],
        ["payments", "close"], ["payments", "sync"], ["receipts", "backend"], ["receipts", "list"],
        ["receipts", "email"],
        ["receipts", "show"], ["receipts", "print"], ["readers", "list"], ["readers", "info"], ["readers", "watch"],
        ["readers", "remember"], ["readers", "forget"],
        ["cards", "list"], ["cards", "show"], ["init"], ["config", "show"], ["config", "check"], ["issuer", "ledger"],
        ["issuer", "reconcile"], ["emv", "decode"], ["emv", "replay"], ["emv", "oda"], ["emv", "capks"],
        ["exceptions", "add"], ["exceptions", "list"], ["exceptions", "remove"], ["simulate", "card"],
        ["simulate", "firmware"], ["readers", "update"],
        ["simulate", "run"], ["simulate", "explore"], ["simulate", "usb"], ["simulate", "store"], ["doctor"],
        ["simulate", "terminal"],
        ["sites", "gateway"], ["stats"], ["settings", "list"], ["settings", "get"], ["settings", "set"],
        ["settings", "sync"],
        ["taxes", "list"], ["taxes", "classes"], ["taxes", "show"], ["shipments", "list"], ["shipments", "add"],
        ["shipments", "delete"], ["shipments", "providers"], ["comments", "approve"], ["comments", "unapprove"],
        ["comments", "spam"], ["comments", "unspam"], ["comments", "trash"], ["comments", "untrash"],
        ["comments", "reply"], ["notifications", "list"], ["notifications", "read"], ["notifications", "sync"],
        ["backup"], ["restore"], ["metrics"], ["host", "check"], ["host", "status"], ["host", "settle"],
        ["fleet", "init"], ["fleet", "grant"], ["fleet", "invite"], ["fleet", "enroll"], ["fleet", "ship"],
        ["fleet", "status"], ["fleet", "payments"], ["fleet", "reconcile"], ["fleet", "report"], ["fleet", "erase"],
    ])
    func `every command has help, and results as JSON`(command: [String]) throws {
        let result = try Program.run(command + ["--help"], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("OVERVIEW: "))
        #expect(result.output.contains("USAGE: cardpresent " + command.joined(separator: " ")))
        #expect(result.output.contains("--json"))
    }

    @Test(arguments: ["host", "fleet", "readers", "receipts"])
    func `the help of a group has examples`(group: String) throws {
        #expect(try Program.run([group, "--help"], in: scratch).output.contains("EXAMPLES:\n  cardpresent \(group) "))
    }

    @Test func `every command begins its help with examples of itself`() throws {
        let help = try Program.run(["--experimental-dump-help"], in: scratch).object()
        var commands = [(name: "", description: try #require(help["command"] as? [String: Any]))]
        var count = 0
        while let (prefix, command) = commands.popLast() {
            let name = prefix + (try #require(command["commandName"] as? String))
            var parts = command["subcommands"] as? [[String: Any]] ?? []
            parts.removeAll { $0["commandName"] as? String == "help" }
            commands += parts.map { (name + " ", $0) }
            guard parts.isEmpty else { continue }
            count += 1
            let discussion = command["discussion"] as? String ?? ""
            let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false)
            let examples = lines.dropFirst().prefix { !$0.isEmpty }
            #expect(lines.first == "EXAMPLES:", "\(name)")
            #expect(examples.contains { $0.hasPrefix("  \(name)") }, "\(name)")
            // Every command has the same choices of output.
            let arguments = command["arguments"] as? [[String: Any]] ?? []
            let options = arguments.flatMap { ($0["names"] as? [[String: String]] ?? []).compactMap { $0["name"] } }
            for option in ["json", "quiet", "verbose", "color"] { #expect(options.contains(option), "\(name)") }
        }
        #expect(count > 80)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `every shell has a completion script, and bash accepts its own`(shell: String) throws {
        let result = try Program.run(["--generate-completion-script", shell], in: scratch)
        #expect(result.status == 0)
        for word in ["pay", "receipts", "insufficient-funds", "dual-interface"] {
            #expect(result.output.contains(word))
        }
        guard shell == "bash" else { return }
        let script = try scratch.write(result.output, to: "completion.bash")
        let checked = try Child(program: "/bin/bash", ["-n", script], in: scratch).result()
        #expect(checked.status == 0)
        #expect(checked.error == "")
    }
}
