import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { meQuery, queries } from "~/api/queries";
import { refresh } from "~/api/session";
import { Shell } from "~/shell/Shell";
import { ErrorPage, NotFoundPage } from "~/shell/Troubles";

const root = createRootRoute({ notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search: Record<string, unknown>): { next?: string } => ({
    next: typeof search["next"] === "string" ? search["next"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/pages/SignIn"), "SignIn"),
});

/** The server answers a link that works with a redirect. Who gets here has one that does not. */
const refusedLink = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/$token",
  component: lazyRouteComponent(() => import("~/pages/SignIn"), "RefusedLink"),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: lazyRouteComponent(() => import("~/pages/Invitation"), "Invitation"),
});

let known = false;

/** Everything inside needs somebody who is signed in. */
const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ location }) => {
    if (known && queries.getQueryData(meQuery.queryKey) !== undefined) return;
    if (!(await refresh())) throw redirect({ to: "/sign-in", search: { next: location.href } });
    await queries.ensureQueryData(meQuery);
    known = true;
  },
  component: Shell,
  errorComponent: ErrorPage,
});

const home = createRoute({
  getParentRoute: () => inside,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/train" });
  },
});

const train = createRoute({
  getParentRoute: () => inside,
  path: "/train",
  component: lazyRouteComponent(() => import("~/train/TrainPage"), "TrainPage"),
});

const progress = createRoute({
  getParentRoute: () => inside,
  path: "/progress",
  validateSearch: (search: Record<string, unknown>): { tab?: string } => ({
    tab: typeof search["tab"] === "string" ? search["tab"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/progress/ProgressPage"), "ProgressPage"),
});

const chat = createRoute({
  getParentRoute: () => inside,
  path: "/chat",
  validateSearch: (search: Record<string, unknown>): { session?: string } => ({
    session: typeof search["session"] === "string" ? search["session"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/chat/ChatPage"), "ChatPage"),
});

const scenarios = createRoute({
  getParentRoute: () => inside,
  path: "/scenarios",
  validateSearch: (search: Record<string, unknown>): { tab?: string } => ({
    tab: typeof search["tab"] === "string" ? search["tab"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/scenarios/ScenariosPage"), "ScenariosPage"),
});

const scenario = createRoute({
  getParentRoute: () => inside,
  path: "/scenarios/$scenario",
  component: lazyRouteComponent(() => import("~/scenarios/ScenarioPage"), "ScenarioPage"),
});

const agent = createRoute({
  getParentRoute: () => inside,
  path: "/scenarios/agents/$agent",
  validateSearch: (search: Record<string, unknown>): { from?: string } => ({
    from: typeof search["from"] === "string" ? search["from"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/scenarios/AgentPage"), "AgentPage"),
});

const usage = createRoute({
  getParentRoute: () => inside,
  path: "/usage",
  validateSearch: (search: Record<string, unknown>): { month?: string } => ({
    month: typeof search["month"] === "string" ? search["month"] : undefined,
  }),
  component: lazyRouteComponent(() => import("~/usage/UsagePage"), "UsagePage"),
});

const people = createRoute({
  getParentRoute: () => inside,
  path: "/people",
  component: lazyRouteComponent(() => import("~/pages/People"), "People"),
});

const gym = createRoute({
  getParentRoute: () => inside,
  path: "/gym",
  component: lazyRouteComponent(() => import("~/gym/GymPage"), "GymPage"),
});

const settings = createRoute({
  getParentRoute: () => inside,
  path: "/settings",
  component: lazyRouteComponent(() => import("~/pages/Settings"), "Settings"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    refusedLink,
    invitation,
    inside.addChildren([
      home,
      train,
      progress,
      chat,
      scenarios,
      scenario,
      agent,
      usage,
      people,
      gym,
      settings,
    ]),
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
