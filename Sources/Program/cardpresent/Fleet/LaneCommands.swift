import ArgumentParser
import Determinism
import Fleet
import Networking
import Storage

/// `fleet enroll`
struct EnrollLane: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Make the records of this machine a lane of the fleet.",
        discussion: """
            EXAMPLES:
              cardpresent fleet enroll --token-file token.txt
              cardpresent fleet enroll --again

            From then on, each change of a payment, an attempt, or a receipt is also written to a list of what to send, \
            in the same transaction. 'cardpresent fleet ship' sends the list, and what the records had before.

            --again sends everything anew, in a new epoch of the lane. Use it after a restored backup, which the back \
            office refuses ('lane_restored'), when you are certain that no other machine is this lane.

            --force uses a new token on records that are a lane already: after 'lane_replaced', or to give the lane \
            another name. The back office recognizes the records: they count once, what was erased stays erased, and \
            what was captured before stays under the earlier name. \
            Records that were sent to one shop can't become a lane of another.
            """)

    @Option(
        help: ArgumentHelp(
            "File with the token of 'fleet invite', or - for standard input. Default: a prompt.", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Flag(help: "Begin a new epoch of this lane.")
    var again = false
    @Flag(help: "Take another token, also with another name for this lane.")
    var force = false
    @OptionGroup var office: OfficeOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !again || (tokenFile == nil && !force) else {
            throw ValidationError("--again needs no token, and can't be used with --force")
        }
    }

    func execute() async throws {
        let storage = try Self.databaseUse.open(try data.path())
        let enrollment = LaneEnrollment(LaneOutbox(storage), at: try office.open(), random: SystemRandomSource())
        let lane: Lane
        if again {
            lane = try await CommandFailure.fleet { () async throws(FleetError) in try await enrollment.renew() }
        } else {
            let token =
                if let tokenFile { try SecretInput.read(tokenFile) } else {
                    try SecretInput.ask("Token (not shown): ", orGive: "--token-file")
                }
            let force = force
            lane = try await CommandFailure.fleet { () async throws(FleetError) in
                try await enrollment.enroll(token: token.revealed(), replacing: force)
            }
        }
        try output.write(
            ["lane": lane.name, "shop": lane.shop, "id": lane.id, "epoch": lane.epoch] as JSONObject,
            text: "\(lane.description.harmless), epoch \(lane.epoch)\nnext: 'cardpresent fleet ship --follow'\n")
    }
}

/// `fleet ship`
struct ShipLane: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "ship", abstract: "Send waiting changes to the back office.",
        discussion: """
            EXAMPLES:
              cardpresent fleet ship
              cardpresent fleet ship --follow --json

            Sends the changes of payments, attempts, and receipts in their order. Changes that were not acknowledged \
            are sent again, and applied once. Payments never wait for it.

            Without --follow, ends when nothing waits, or with 75 when it can't send for longer than --patience. With \
            --follow, goes on until Ctrl-C or SIGTERM, ends with 0 then, and tries again while the server or the network \
            is gone. Both end with 7 when a person must act, for example after a restored backup. With --json, each line \
            is an object: "shipped" with "waiting", "interrupted" with "pause", or "error".
            """)

    @Flag(help: "Go on until Ctrl-C.")
    var follow = false
    @Option(help: ArgumentHelp("How long to try again without progress, such as 30s or 5m.", valueName: "interval"))
    var patience = Interval.standard
    @OptionGroup var office: OfficeOptions
    @OptionGroup var data: DatabaseOptions
    @OptionGroup var output: OutputOptions

    /// A failure is a line like all others.
    func run() async throws {
        Display.begin(output, isJSON: isJSON)
        try await FailureReport(isJSON: isJSON, isStream: true).reporting {
            try await Display.timing { try await execute() }
        }
    }

    func execute() async throws {
        let storage = try Self.databaseUse.open(try data.path())
        let (office, time) = (try office.open(), SystemTimeSource())
        let shipper = FleetShipper(LaneOutbox(storage), to: office, time: time, random: SystemRandomSource())
        let isJSON = output.json
        if follow {
            try await EndlessWork.run {
                try await CommandFailure.fleet { () async throws(FleetError) in
                    try await shipper.follow { Self.tell($0, isJSON) }
                }
            }
            return
        }
        let patience = patience.duration
        let count = try await CommandFailure.fleet { () async throws(FleetError) in
            try await shipper.ship(patience: patience) { event in
                if case .interrupted = event { Self.tell(event, isJSON) }
            }
        }
        if isJSON {
            try StandardOutput.write(line: ["shipped": count, "waiting": 0] as JSONObject)
        } else {
            try StandardOutput.write(count == 0 ? "nothing waits\n" : "shipped \(count) entries\n")
        }
    }

    private static func tell(_ event: ShippingEvent, _ isJSON: Bool) {
        switch event {
        case .shipped(let entries, let waiting):
            if isJSON {
                StandardOutput.write(event: ["shipped": entries, "waiting": waiting] as JSONObject)
            } else {
                StandardError.note("shipped \(entries) entries, \(waiting) wait\n")
            }
        case .interrupted(let error, let pause):
            let seconds = Double(Int(pause / .milliseconds(1))) / 1000
            if isJSON {
                StandardOutput.write(
                    event: ["interrupted": error.description.harmless, "pause": seconds] as JSONObject)
            } else {
                StandardError.note("\(error.description.harmless); again in \(seconds) s\n")
            }
        }
    }
}
