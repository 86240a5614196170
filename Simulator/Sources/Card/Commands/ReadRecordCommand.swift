internal import SmartCard

/// READ RECORD (EMV Book 1 §11.2).
extension CardOperatingSystem {
    func readRecord(_ command: CommandAPDU) -> ResponseAPDU {
        let file = command.p2 >> 3
        guard command.p2 & 0x07 == 0x04, (1...30).contains(file), command.p1 > 0 else {
            return .failed(.incorrectParameters)
        }
        let number = Int(command.p1) - 1
        switch session.selection {
        case .none: return .failed(.conditionsNotSatisfied)
        case .directory:
            guard file == Self.directoryFile else { return .failed(.fileNotFound) }
            guard applications.indices.contains(number) else { return .failed(.recordNotFound) }
            return .succeeded(BERTLV(0x70, children: [applications[number].directoryEntry]).encoded)
        case .application(let index):
            let (application, memory) = (applications[index], memories[index])
            if file == CardApplication.logFile, application.profile.logRecords > 0 {
                return memory.log.indices.contains(number) ? .succeeded(memory.log[number]) : .failed(.recordNotFound)
            }
            // What the locator names can be read once GET PROCESSING OPTIONS has given it out.
            guard session.transaction != nil else { return .failed(.conditionsNotSatisfied) }
            guard let records = application.files.first(where: { $0.identifier == file })?.records else {
                return .failed(.fileNotFound)
            }
            guard records.indices.contains(number) else { return .failed(.recordNotFound) }
            let objects = records[number].flatMap { tag in
                BERTLV.encode(tag, (memory.changedValues[tag] ?? application.values[tag])?.copy() ?? [])
            }
            return .succeeded(BERTLV.encode(0x70, objects))
        }
    }
}
