internal import ArgumentParser
internal import Simulator

/// How long simulated hardware is lent.
struct StayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How long to wait for the other side. Default: until it is there.", valueName: "seconds"))
    var wait: Int?
    @Flag(help: "End when the other side goes away, instead of waiting for it again.")
    var once = false

    func validate() throws {
        if let wait, !(0...86_400).contains(wait) { throw ValidationError("--wait is 0 to 86400 seconds") }
    }

    var stay: DoorStay { DoorStay(longestWait: wait.map { .seconds($0) }, endsWithPeer: once) }
}
