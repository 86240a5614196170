internal import Sessions
internal import Simulator

/// A reader as a client asks for it: the name of a model, or more.
enum ReaderBody {
    static let schema = Schema.object([
        Field("name", .text, "What the session calls the reader.", optional: true),
        Field("model", .word(models), "Without: short-apdu.", optional: true),
        Field("pluggedIn", .boolean, "True without.", optional: true),
        Field("batteryPercent", .integer(0...100), optional: true),
        Field("faults", .list(.named("ReaderFault")), "What goes wrong in it from the beginning.", optional: true),
    ])

    private static let readers = SimulatedReader.all + SimulatedReaderModel.faulty.map { .chip($0) }
    static let models = readers.map(\.name)

    /// - Parameters:
    ///   - node: what the client wrote.
    ///   - number: 1 and up; what it is called by when it has no name.
    /// - Returns: the reader.
    /// - Throws: ``APIError``
    static func planned(_ node: BodyNode, number: Int) throws(APIError) -> PlannedReader {
        let standardName = number == 1 ? "reader" : "reader-\(number)"
        if case .text = node.value { return PlannedReader(name: standardName, model: try model(node)) }
        try node.object(schema.fields)
        var reader = PlannedReader(name: try node["name"]?.text(1...60) ?? standardName)
        guard !reader.name.contains("/") else { throw .body("a name has no slash", at: node.path + ".name") }
        if let name = node["model"] { reader.model = try model(name) }
        reader.isPluggedIn = try node["pluggedIn"]?.bool() ?? true
        if let percent = node["batteryPercent"] { reader.batteryPercent = UInt8(try percent.int(0...100)) }
        for fault in try node["faults"]?.list(0...100) ?? [] { reader.faults.append(try FaultBodies.reader(fault)) }
        return reader
    }

    private static func model(_ node: BodyNode) throws(APIError) -> SimulatedReader {
        let name = try node.word(models, called: "reader model")
        return readers.first { $0.name == name } ?? .chip(.shortAPDU)
    }
}
