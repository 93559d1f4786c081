import { useQuery } from "@tanstack/react-query";
import { answered, api, type Schemas } from "~/api/client";
import type { Box, Way } from "./layout";

export type ScenarioDetail = Schemas["ScenarioDetail"];

export function useAgents(archived = false) {
  return useQuery({
    queryKey: archived ? ["agents", "archived"] : ["agents"],
    queryFn: () => answered(api.GET("/api/ai-agents", { params: { query: { archived } } })),
  });
}

export function useScenarios() {
  return useQuery({ queryKey: ["scenarios"], queryFn: () => answered(api.GET("/api/scenarios")) });
}

export function useScenario(id: string) {
  return useQuery({
    queryKey: ["scenarios", id],
    queryFn: () =>
      answered(api.GET("/api/scenarios/{scenario_id}", { params: { path: { scenario_id: id } } })),
    enabled: id !== "",
  });
}

export function useTools() {
  return useQuery({
    queryKey: ["tools"],
    queryFn: () => answered(api.GET("/api/ai-agents/tools")),
    staleTime: 5 * 60_000,
  });
}

export function titleOf(agents: { name: string; title: string }[] | undefined, name: string): string {
  const title = agents?.find((one) => one.name === name)?.title;
  return title || sentence(name);
}

export function sentence(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

interface Team {
  root: string;
  agents: { name: string; handoffs: string[] }[];
  stages?: { first: string; agents: Record<string, string> } | null | undefined;
}

/** What the picture shows: a course as its stages, one after the other; else who hands over to whom. */
export function graphOf(team: Team, title: (name: string) => string): { boxes: Box[]; ways: Way[] } {
  if (team.stages) {
    const names = Object.keys(team.stages.agents);
    const order = [team.stages.first, ...names.filter((name) => name !== team.stages?.first)].filter((name) =>
      names.includes(name),
    );
    const boxes = order.map((name, at) => ({
      id: name,
      label: sentence(name),
      note: title(team.stages?.agents[name] ?? ""),
      first: at === 0,
    }));
    const ways = order.slice(1).map((name, at) => ({ from: order[at] ?? "", to: name }));
    return { boxes, ways };
  }
  const boxes = team.agents.map((agent) => ({
    id: agent.name,
    label: title(agent.name),
    note: agent.name === team.root ? "Spoken to first" : "",
    first: agent.name === team.root,
  }));
  const ways = team.agents.flatMap((agent) => agent.handoffs.map((to) => ({ from: agent.name, to })));
  return { boxes, ways };
}
