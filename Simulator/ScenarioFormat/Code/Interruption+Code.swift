internal import SettingsFile

extension Interruption.Trigger {
    /// When an event of the step is seen that begins with these words.
    ///
    /// - Parameters:
    ///   - words: the beginning of the event: `host authorize sent`.
    ///   - count: which of those events, 1 being the first.
    ///   - delay: how long after it.
    /// - Returns: the moment.
    public static func on(_ words: String, count: Int = 1, after delay: Duration = .zero) -> Interruption.Trigger {
        .event(words, count: count, delay: delay)
    }

    /// So long after the step began.
    public static func after(_ delay: Duration) -> Interruption.Trigger { .time(delay) }
}

extension Interruption {
    private init(_ action: ScenarioAction, _ trigger: Trigger, _ file: String, _ line: Int, _ column: Int) {
        self.init(trigger, action, location: SettingsLocation(file: file, line: line, column: column))
    }

    /// What the step does is cancelled.
    public static func cancel(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.cancel, trigger, filePath, line, column)
    }

    /// The program is gone from one moment to the next.
    public static func crash(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.crash, trigger, filePath, line, column)
    }

    /// A reader is pulled out; nil for the only one, or the one that was used last.
    public static func unplug(
        _ trigger: Trigger, reader: String? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.unplug(reader: reader), trigger, filePath, line, column)
    }

    /// A reader is plugged in; nil for the only one, or the one that was used last.
    public static func plug(
        _ trigger: Trigger, reader: String? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.plug(reader: reader), trigger, filePath, line, column)
    }

    /// A card is put in, unasked; nil for the scenario's own.
    public static func insertCard(
        _ trigger: Trigger, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.insertCard(card), trigger, filePath, line, column)
    }

    /// A card is swiped, unasked; nil for the scenario's own.
    public static func swipeCard(
        _ trigger: Trigger, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.swipeCard(card), trigger, filePath, line, column)
    }

    /// The card is pulled out.
    public static func removeCard(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.removeCard, trigger, filePath, line, column)
    }

    /// The machine sleeps for so long; its devices are new ones afterwards, unless they are kept.
    public static func sleep(
        _ trigger: Trigger, for duration: Duration, keepsDevices: Bool = false, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.sleep(duration, keepsDevices: keepsDevices), trigger, filePath, line, column)
    }

    /// The world around the till changes.
    public static func change(
        _ trigger: Trigger, _ change: WorldChange, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.set(change), trigger, filePath, line, column)
    }
}
