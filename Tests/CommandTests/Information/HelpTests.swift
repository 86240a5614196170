import Testing

@Suite("Help")
struct HelpTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test(arguments: [["--help"], ["-h"], ["help"], []])
    func `the program tells what it can do`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(
            result.output == """
                OVERVIEW: Takes card-present payments, records them and prints their receipts.

                Test and development grade: no EMVCo approval, no PCI assessment. The payment
                host of this version is a simulated issuer, and no money moves.

                Exit codes: 0 approved or done, 1 internal error, 2 declined, 3 cancelled, 4
                outcome unknown, 5 reader or card, 6 printer, 7 what was compared differs, 64
                usage, 65 bad data, 69 unavailable, 75 try again, 78 configuration.

                USAGE: cardpresent <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                SUBCOMMANDS:
                  pay                     Takes a card payment, records it and shows its
                                          receipt.
                  refund                  Gives money back for a captured payment.
                  payments                Shows payments, and finishes what was left in the
                                          middle.
                  receipts                Shows, renders and prints receipts.
                  printers                Shows, tries and chooses printers.
                  drawer                  Opens the cash drawer.
                  readers                 Shows card readers, and updates their firmware.
                  login                   Signs in to a store, and keeps what is needed to stay
                                          signed in.
                  logout                  Signs out of the store, and deletes what was kept of
                                          it.
                  sites                   Lists the sites of whoever is signed in, and chooses
                                          one.
                  orders                  Shows, brings, creates and changes the orders of the
                                          store.
                  customers               Shows, searches and brings the store's customers.
                  stats                   Shows what the store has sold.
                  settings                Shows the settings of the store, and changes some.
                  taxes                   Shows the tax rates and tax classes of the store.
                  shipments               Shows and notes the parcels of orders.
                  comments                Moderates comments and reviews, and answers them.
                  notifications           Shows what WordPress.com has to tell.
                  cards                   Shows the simulated cards.
                  simulate                Runs simulated sessions, lends simulated hardware,
                                          and serves a simulated store.
                  exceptions              Keeps the list of cards that are not to be taken.
                  issuer                  Shows the book of the simulated issuer, and compares
                                          it with the till's.
                  config                  Shows and checks the configuration of the till.
                  features                Shows which features are on, and what experiments
                                          gave this till.
                  emv                     Tools for EMV data: keys, cards' data, recorded
                                          exchanges.
                  debug                   Tools for finding out what a store answers.
                  doctor                  Finds out why readers, printing or records do not
                                          work, and says what to type.

                  See 'cardpresent help <subcommand>' for detailed help.

                """)
    }

    @Test(arguments: [["pay", "--help"], ["help", "pay"]])
    func `pay tells what it takes`(arguments: [String]) throws {
        let result = try Program.run(arguments, in: scratch)
        #expect(result.status == 0)
        #expect(
            result.output == """
                OVERVIEW: Takes a card payment, records it and shows its receipt.

                The payment is in the journal before anything leaves this machine. Ctrl-C
                cancels it: what was sent is taken back. Whatever happens, 'cardpresent
                payments list' tells what became of it.

                With --order the store that somebody is signed in to says what is to be paid,
                and is told when it is. The exit code speaks of the money alone: 0 when it is
                taken, also when the store could not be told yet. That is said on stderr and in
                the JSON, under capture; 'cardpresent payments settle' tells the store.

                USAGE: cardpresent pay [<options>] [<amount>]

                ARGUMENTS:
                  <amount>                The amount as a decimal, for example 12.50. Not with
                                          --order.

                OPTIONS:
                  --currency <code>       ISO 4217 code of the currency. Default: the
                                          configuration's, USD without one.
                  --tip <decimal>         A tip on top of the amount. Not with --order: there a
                                          tip is a fee of the order.
                  --order <id>            Pay this order of the store: its ID.
                  --gateway <gateway>     The store's payment gateway that is told:
                                          woocommerce-payments or woocommerce-stripe. Default:
                                          the only one that it has.
                  --account <account>     The account that the cardholder chose, where cards
                                          have several. (values: savings, cheque, credit)
                  --reader <reader>       The first USB reader, usb:ID for another one,
                                          pcsc:NAME for one of pcscd's, or a simulated reader.
                                          (values: usb, pcsc, simulated, simulated:tpdu,
                                          simulated:short-apdu, simulated:extended-apdu,
                                          simulated:battery, simulated:pinpad,
                                          simulated:tpdu-t0, simulated:dual-slot,
                                          simulated:contactless, simulated:dual-interface,
                                          simulated:combo, simulated:updatable, simulated:msr,
                                          simulated:msr-fixed, simulated:msr-keyboard,
                                          simulated:msr-encrypted; default: simulated:tpdu)
                        'cardpresent readers list' shows the readers that are plugged in, with
                        --pcsc those that pcscd has. A part of NAME will do.
                  --card <profile>        The card in a simulated reader: the name of a profile
                                          or the path of a profile file. (default: visa-credit)
                        'cardpresent cards list' shows the profiles.
                  --pin <digits>          The PIN that the cardholder types; '-' reads it from
                                          standard input.
                        Without it a simulated cardholder types what the profile says, and at a
                        real reader the program asks at the terminal. A PIN on the command line
                        can be seen by other users of the machine.
                  --seed <number>         Makes a simulated run repeatable: the same number
                                          gives the same bytes.
                        The clock then starts at 2026-01-02 12:00 UTC and moves only when
                        somebody waits.
                  --trace <file>          Write every exchange with the card to this file, a
                                          JSON object a line, card data masked.
                  --force-online          Ask the issuer whatever the card says.
                  --timeout <seconds>     How long to wait for a card. (default: 60)
                  --issuer-rules <rules>  Rules of the simulated issuer: the name of built-in
                                          ones or the path of a YAML file.
                        They go before what the card's profile says. 'cents' lets the cents of
                        the amount pick the answer: 10.51 is declined with 51.
                  --printer <queue>       Print the merchant's and the customer's receipt on
                                          this printer.
                        A receipt that cannot be printed changes nothing about the payment or
                        the exit code.
                  --record <file>         Write what happens to this file, a scenario that
                                          'simulate run' plays again, without card data.
                        It is written however the payment ends, and changes nothing about it or
                        the exit code. docs/scenarios.md says what a replay of a real card can
                        show.
                  --force                 Replace an older recording.
                  --config <file>         The configuration file of the till.
                        Default: $XDG_CONFIG_HOME/cardpresent/cardpresent.yaml, or the same
                        below ~/.config, if it is there.
                  --database <file>       The database file.
                        Default: $XDG_DATA_HOME/cardpresent/cardpresent.sqlite, or the same
                        below ~/.local/share.
                  --json                  Print the result as one JSON value, failures too.
                  --version               Show the version.
                  -h, --help              Show help information.


                """)
    }

    @Test func `the version is one line`() throws {
        #expect(try Program.run(["--version"], in: scratch).output == "0.1.0\n")
    }

    @Test(arguments: [
        ["refund"], ["payments", "list"], ["payments", "show"], ["payments", "recover"],
        ["payments", "settle"], ["receipts", "backend"], ["receipts", "list"], ["receipts", "email"],
        ["receipts", "show"], ["receipts", "print"], ["readers", "list"], ["readers", "info"], ["readers", "watch"],
        ["readers", "remember"], ["readers", "forget"],
        ["cards", "list"], ["cards", "show"], ["config", "show"], ["config", "check"], ["issuer", "ledger"],
        ["issuer", "reconcile"], ["emv", "decode"], ["emv", "replay"], ["emv", "oda"], ["emv", "capks"],
        ["exceptions", "add"], ["exceptions", "list"], ["exceptions", "remove"], ["simulate", "card"],
        ["simulate", "firmware"], ["readers", "update"],
        ["simulate", "explore"], ["simulate", "usb"], ["simulate", "store"], ["doctor"],
        ["stats"], ["settings", "list"], ["settings", "get"], ["settings", "set"], ["settings", "sync"],
        ["taxes", "list"], ["taxes", "classes"], ["taxes", "show"], ["shipments", "list"], ["shipments", "add"],
        ["shipments", "delete"], ["shipments", "providers"], ["comments", "approve"], ["comments", "unapprove"],
        ["comments", "spam"], ["comments", "unspam"], ["comments", "trash"], ["comments", "untrash"],
        ["comments", "reply"], ["notifications", "list"], ["notifications", "read"], ["notifications", "sync"],
    ])
    func `every command has help, and results as JSON`(command: [String]) throws {
        let result = try Program.run(command + ["--help"], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("OVERVIEW: "))
        #expect(result.output.contains("USAGE: cardpresent " + command.joined(separator: " ")))
        #expect(result.output.contains("--json"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `there is a completion for every shell, and bash takes its own`(shell: String) throws {
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
