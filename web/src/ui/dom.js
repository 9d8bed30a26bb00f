/** Short names for the parts of preact that every component uses. */
export { h, Fragment, render, createRef } from "preact";
export { useEffect, useLayoutEffect, useMemo, useRef, useState, useCallback } from "preact/hooks";
export { useSignal, useSignalEffect, useComputed, signal, computed, effect, batch } from "@preact/signals";
